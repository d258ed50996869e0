"""Canonical blocks as response items: what the model is sent (the seeds' table, canonical to Codex).

Types are strict: a field of the wrong type costs the whole line without a word (formats/codex.md §4). So `arguments`
and `output` are strings (or, for `output`, a list of `input_text` and `input_image`), and content parts are
`output_text` under the role `assistant` and `input_text` or `input_image` under all others.
"""

from __future__ import annotations

import re
from typing import Final, assert_never

import msgspec

from sesh.format import jsontext
from sesh.format.blocks import (
    AttachmentBlock,
    FileChangeBlock,
    Part,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
    output_parts,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.format.regex import regex
from sesh.providers.codex import outputs, patches

ROLES: Final = {"user": "user", "assistant": "assistant", "system": "developer", "tool": "user"}
READ_AS: Final = {"user": "user", "assistant": "assistant", "developer": "system"}
NAME: Final = regex(r"[A-Za-z0-9_-]{1,64}")
"""Function names that the API takes."""
IMAGE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Image types that the API takes; any other one ends the session there (peers.md §3.51)."""


class Outcome(msgspec.Struct, frozen=True):
    """What became of a block: `written`, `changed` (with its code) or `dropped` (with what it was)."""

    what: str
    why: str = ""


WRITTEN: Final = Outcome("written")


class Item(msgspec.Struct, gc=False):
    """One response item. `blocks` are the indices of the message's blocks that it holds; `role` is the canonical role
    that reading it gives; `exact`: reading it gives those very blocks, so no stamp is needed for them; `error`: the
    result's flag, where reading the output would not give it; `call_id`: of a call or a result that are a pair;
    `own`: Codex's own record again; `thought`: thinking, which is shown and not sent. An item with neither payload nor
    thought is carried along for the way back only."""

    payload: JsonObject
    blocks: list[int]
    role: str
    exact: bool = True
    error: bool | None = None
    call_id: str | None = None
    stub: bool = False
    own: bool = False
    thought: str | None = None


class Form(msgspec.Struct, frozen=True, gc=False):
    """A value as Codex takes it; `code` where it is another form than the canonical one; see `Item.exact`."""

    value: JsonValue
    code: str | None = None
    exact: bool = True


def result_item(block: ToolResultBlock, i: int, call_id: str, outcomes: list[Outcome | None], *, links: bool) -> Item:
    """A tool's output. Codex has no flag for errors: the stamp keeps it, and the display says so.

    links: see `data_url`.
    """
    form = output(block.given, links=links)
    code = form.code or ("call-id" if block.call_id != call_id else None) or ("error-flag" if block.is_error else None)
    outcomes[i] = WRITTEN if code is None else Outcome("changed", code)
    payload = {"type": "function_call_output", "call_id": call_id, "output": form.value}
    same_flag = outputs.failed(form.value) == block.is_error
    exact = (
        form.exact and block.excerpt is None and block.call_id == call_id and (same_flag or block.is_error is not None)
    )
    return Item(payload, [i], "tool", exact, error=None if same_flag else block.is_error, call_id=call_id)


def stub(call_id: str, *, lost: bool) -> Item:
    """The output of a call that nothing answered, in the words that Codex itself uses (formats/codex.md §4).

    lost: of a patch without an id, which cannot have an output, so that nothing says that it was not applied.
    """
    text = "The patch was given; what came of it was not recorded." if lost else "aborted"
    payload = {"type": "function_call_output", "call_id": call_id, "output": text}
    return Item(payload, [], "tool", call_id=call_id, stub=True)


def call(block: ToolCallBlock | FileChangeBlock | WebSearchBlock, call_id: str) -> Form:
    """A tool call as `function_call`."""
    match block:
        case ToolCallBlock():
            name = api_name(block.name)
            wrapped = not isinstance(block.input, dict)
            arguments = text_arguments({"input": block.input} if wrapped else block.input)
            code = "tool-name" if name != block.name else "input-wrapped" if wrapped else None
            exact = code is None and patches.in_call(name, block.input) is None
            return Form(_function(name, arguments, call_id), code, exact)
        case FileChangeBlock():
            arguments = text_arguments({"input": block.patch or ""})
            exact = block.patch is not None and block.path == patches.path_of(block.patch)
            code = "as-call" if block.patch is None else None
            return Form(_function("apply_patch", arguments, call_id), code, exact)
        case WebSearchBlock():
            return Form(_function("web_search", text_arguments({"query": block.query}), call_id), "as-call", False)
        case _:
            assert_never(block)


def search(block: WebSearchBlock) -> Form:
    """A search without a result of its own, in Codex's form. What was found has no place in it."""
    payload = {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": block.query}}
    code = None if block.results is None else "search-results"
    return Form(payload, code, code is None and block.call_id is None)


def _function(name: str, arguments: str, call_id: str) -> JsonObject:
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": call_id}


def text_arguments(value: JsonValue) -> str:
    """Arguments as the JSON text that `arguments` must be. Raises UnicodeEncodeError at a lone surrogate."""
    return jsontext.encode_any(value).decode("utf-8")


def api_name(name: str) -> str:
    """The name itself where the API takes it, or its nearest that the API takes."""
    if NAME.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "tool"


def output(value: JsonValue, *, links: bool) -> Form:
    """A tool's output: text as text, parts as parts, any other JSON as its text. links: see `data_url`."""
    if isinstance(value, str):
        return Form(value)
    parts = output_parts(value)
    if parts is None or not parts:
        import json  # only for an output that is neither text nor parts

        text = "" if value is None or value == [] else json.dumps(value, ensure_ascii=False)
        return Form(text, "output-flattened", False)
    forms = [content_part(part, assistant=False, links=links) for part in parts]
    code = next((f.code for f in forms if f.code), None)
    return Form([f.value for f in forms], code, all(f.exact for f in forms))


def content_part(block: Part, *, assistant: bool, links: bool) -> Form:
    """A content part of a message or of a tool's output. The model's own messages hold text only.

    links: see `data_url`.
    """
    kind = "output_text" if assistant else "input_text"
    match block:
        case TextBlock():
            return Form({"type": kind, "text": block.text})
        case AttachmentBlock():
            url = None if assistant else data_url(block, links=links)
            if url is None:
                return Form({"type": kind, "text": placeholder(block)}, "as-text", False)
            exact = _reads_as(url, block)
            return Form({"type": "input_image", "image_url": url}, None, exact)
        case UnknownBlock():
            return Form({"type": kind, "text": placeholder(block)}, "as-text", False)
        case _:
            assert_never(block)


def _reads_as(url: str, block: AttachmentBlock) -> bool:
    """Whether this block is what an `image_url` is read as."""
    if block.data is None:
        return url == block.uri and block.media_type is None and not url.startswith("data:")
    start = f"data:{block.media_type};base64,"
    return block.uri is None and url.startswith(start) and len(url) == len(start) + len(block.data)


def data_url(block: AttachmentBlock, *, links: bool) -> str | None:
    """What `image_url` takes for this attachment, or None where it is no picture that the API takes.

    Data goes under the name of what it is. 0.104 sends what is no picture all the same, and the API then refuses the
    session; later versions send words in its place (run: 0.142, 0.169).

    links: pictures may be addresses. 0.104 and 0.142 send them; 0.155 and 0.169 tell their model instead that these
    "are not supported", and not what the address was.
    """
    from sesh.format.media import as_base64, in_url, media_of  # only attachments need it

    media, data, uri = block.media_type, block.data, block.uri or ""
    if data is None and (found := in_url(uri)) is not None:
        data = found[1]
    if data is not None:
        good = as_base64(data)
        kind = None if good is None else media_of(good)
        return f"data:{kind};base64,{good}" if kind in IMAGE_TYPES else None
    is_image = media is None or media.startswith("image/")
    return uri if links and is_image and uri.startswith(("https://", "http://")) else None


def placeholder(block: AttachmentBlock | UnknownBlock) -> str:
    """The words that stand for what Codex cannot hold: a text document's own text, else what it was.

    The JSON of an unknown part has sorted keys, so that it is the same text whoever writes it.
    """
    if isinstance(block, UnknownBlock):
        import json

        return json.dumps(block.raw, sort_keys=True)
    from sesh.format.media import decoded, in_url, is_text

    media, data, uri = block.media_type, block.data, block.uri or "empty"
    if data is None and (found := in_url(uri)) is not None:
        media, data = found[0] or media, found[1]
    if data is not None and is_text(media):
        try:
            return decoded(data).decode("utf-8")
        except ValueError:
            pass  # not what it says it is: named like any other file
    kind = media or "unknown type"
    if data is not None:
        return f"[Attachment of {kind}, {len(data) * 3 // 4} bytes, not carried over to Codex]"
    if uri[:5].lower() == "data:":
        return f"[Attachment of {kind}, {len(uri)} characters, not carried over to Codex]"
    return f"[Attachment of {kind}: {uri}]"
