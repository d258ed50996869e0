"""Which `compacted` lines Codex 0.169.0 reads: it takes a line whole or not at all.

One item of the list of which a field is not of its type, and the client passes over the line as if it were not there:
its model is sent what came before (97 hand-made lines, resumed with the client). Kinds that it does not know are no
reason, nor are keys that it does not know. Not looked at, because their whole range was not measured: the names that
`detail`, `phase` and the status of a shell call may have, and what stands within a line's lists of metadata.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

import msgspec

from sesh.format import jsontext
from sesh.format.json import JsonObject
from sesh.providers.codex.items import PASSTHROUGH


class _Part(msgspec.Struct):
    """A part of a message or an output."""


class _Text(_Part, tag="input_text"):
    text: str


class _Said(_Part, tag="output_text"):
    text: str


class _Image(_Part, tag="input_image"):
    image_url: str


class _Audio(_Part, tag="input_audio"):
    audio_url: str


class _Mailed(_Part, tag="encrypted_content"):
    encrypted_content: str


class _Passed(msgspec.Struct):
    turn_id: str | None = None


class _Item(msgspec.Struct):
    id: str | None = None
    passed: _Passed | None = msgspec.field(name=PASSTHROUGH, default=None)


class _Message(_Item, kw_only=True, tag="message"):
    role: str
    content: list[_Text | _Said | _Image | _Audio]
    phase: str | None = None
    status: str | None = None


class _Reasoned(msgspec.Struct):
    type: str
    text: str


class _Reasoning(_Item, kw_only=True, tag="reasoning"):
    summary: list[_Reasoned]
    content: list[_Reasoned] | None = None
    encrypted_content: str | None = None


class _Call(_Item, kw_only=True, tag="function_call"):
    name: str
    arguments: str
    call_id: str
    namespace: str | None = None
    status: str | None = None


_Output: TypeAlias = str | list[_Text | _Image | _Audio | _Mailed]


class _CallOutput(_Item, kw_only=True, tag="function_call_output"):
    output: _Output
    call_id: str | None = None
    name: str | None = None


class _Custom(_Item, kw_only=True, tag="custom_tool_call"):
    name: str
    input: str
    call_id: str


class _CustomOutput(_Item, kw_only=True, tag="custom_tool_call_output"):
    output: _Output
    call_id: str
    name: str | None = None


class _Exec(msgspec.Struct, tag="exec"):
    command: list[str]


class _Shell(_Item, kw_only=True, tag="local_shell_call"):
    status: str
    action: _Exec
    call_id: str | None = None


class _Action(msgspec.Struct):
    type: str
    query: str | None = None


class _Search(_Item, kw_only=True, tag="web_search_call"):
    status: str | None = None
    action: _Action | None = None


class _ToolSearch(_Item, kw_only=True, tag="tool_search_call"):
    execution: str


class _ToolsFound(_Item, kw_only=True, tag="tool_search_output"):
    tools: list[Any]


class _Drawn(_Item, kw_only=True, tag="image_generation_call"):
    result: str


class _Mail(_Item, kw_only=True, tag="agent_message"):
    author: str
    recipient: str
    content: list[_Text | _Mailed]


class _Tools(_Item, kw_only=True, tag="additional_tools"):
    role: str
    tools: list[Any]


class _Compaction(_Item, kw_only=True, tag="compaction"):
    encrypted_content: str


class _Compacted(msgspec.Struct, kw_only=True):
    message: str
    replacement_history: list[Any] | None = None
    guardian_history: list[Any] | None = None
    window_number: Annotated[int, msgspec.Meta(ge=0)] | None = None
    first_window_id: str | None = None
    compaction_response_id: str | None = None
    retained_context: JsonObject | None = None
    resume_metadata: JsonObject | None = None
    latest_token_usage_record: JsonObject | None = None
    replacement_history_metadata: list[Any] | None = None


_ITEMS: Final[dict[str, type[_Item]]] = {str(kind.__struct_config__.tag): kind for kind in _Item.__subclasses__()}


def odd(payload: JsonObject) -> str | None:
    """Why Codex passes over a `compacted` line, in the decoder's words; None where it reads it."""
    try:
        history = jsontext.convert(payload, _Compacted).replacement_history
        for item in history or ():
            kind = item.get("type") if isinstance(item, dict) else None
            if not isinstance(kind, str):
                return "an item of `replacement_history` has no kind"
            if kind in _ITEMS:
                jsontext.convert(item, _ITEMS[kind])
    except msgspec.ValidationError as e:
        return str(e)
    return None
