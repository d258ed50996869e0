"""Claude Code's lines as typed records, decoded once, with only the fields that are read (formats/claude-code.md §9).

One struct holds every kind of line: fields that a kind does not have are absent, fields that nobody reads (tool
definitions, file snapshots) are passed over by the decoder without being built. `kind_of` says what a line is.
"""

# No `from __future__ import annotations` here: it makes text of each field's type, which msgspec then has to evaluate.
# That is half of the time that this module takes to load, and no small conversion goes without it.

from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec

from sesh.format import jsontext
from sesh.format.json import JsonObject, JsonValue


class ApiUsage(msgspec.Struct, frozen=True, gc=False):
    """`message.usage` of the Messages API. `input_tokens` excludes what was read from or written to the cache."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class ApiMessage(msgspec.Struct, gc=False):
    """`message`: a message in the shape of the Messages API. `content` is a string or a list of blocks.

    The reader empties the list when it has made canonical blocks of it (`Weaver`).
    """

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: Any = msgspec.UNSET
    stop_reason: str | None = None
    stop_sequence: str | None = None
    usage: ApiUsage | None = None


class ToolFacts(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, rename="camel"):
    """What `toolUseResult` knows beyond the tool_result block. Never sent to the model; the screen draws from it.

    The bulky rest (a file's text before the edit, a second copy of the output) is only in `raw`.
    """

    type: Any = msgspec.UNSET
    status: Any = msgspec.UNSET
    agent_id: Any = msgspec.UNSET
    agent_type: Any = msgspec.UNSET
    is_async: Any = msgspec.UNSET
    file_path: Any = msgspec.UNSET
    structured_patch: Any = msgspec.UNSET
    replace_all: Any = msgspec.UNSET
    user_modified: Any = msgspec.UNSET
    interrupted: Any = msgspec.UNSET
    is_image: Any = msgspec.UNSET
    exit_code: Any = msgspec.UNSET
    return_code_interpretation: Any = msgspec.UNSET
    background_task_id: Any = msgspec.UNSET
    persisted_output_path: Any = msgspec.UNSET
    persisted_output_size: Any = msgspec.UNSET
    git_operation: Any = msgspec.UNSET
    total_tokens: Any = msgspec.UNSET
    total_duration_ms: Any = msgspec.UNSET
    total_tool_use_count: Any = msgspec.UNSET
    answers: Any = msgspec.UNSET
    success: Any = msgspec.UNSET
    worktree_path: Any = msgspec.UNSET
    worktree_branch: Any = msgspec.UNSET


class Attachment(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """`attachment`: what the client put beside the talk. Only some types carry words (see `attachments`)."""

    type: str = ""
    prompt: Any = None
    command_mode: str | None = None
    origin: Any = None
    timestamp: str | None = None
    content: Any = None
    filename: Any = None
    blocking_error: Any = None
    hook_event: Any = None
    tool_use_id: Any = msgspec.field(default=None, name="toolUseID")


class Progress(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """`data` of a progress line; `agent_progress` holds a line of a sub-agent's transcript."""

    type: str = ""
    message: Any = None
    agent_id: Any = None
    prompt: Any = None


class Origin(msgspec.Struct, frozen=True, gc=False):
    """`origin`: who began a user line (2.1.328): `human`, `task-notification`."""

    kind: str | None = None


class ForkedFrom(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """`forkedFrom` on lines that `/branch` copied."""

    session_id: str | None = None
    message_uuid: str | None = None


class Line(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """One line of a session file, of any kind. `parent_uuid` and `leaf_uuid` are UNSET where there is no such key."""

    type: str
    uuid: str | None = None
    parent_uuid: str | msgspec.UnsetType | None = msgspec.UNSET
    logical_parent_uuid: str | None = None
    is_sidechain: bool = False
    session_id: str | None = None
    first_session: str | None = msgspec.field(default=None, name="session_id")
    timestamp: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    slug: str | None = None
    agent_id: str | None = None
    forked_from: ForkedFrom | None = None
    sesh: Any = None
    # user and assistant
    message: ApiMessage | None = None
    request_id: str | None = None
    is_meta: bool = False
    is_compact_summary: bool = False
    is_visible_in_transcript_only: bool = False
    is_api_error_message: bool = False
    is_aborted_mid_stream: bool = False
    is_virtual: bool = False
    error: Any = None
    api_error_status: Any = None
    origin: Origin | None = None
    prompt_id: str | None = None
    prompt_source: str | None = None
    permission_mode: str | None = None
    image_paste_ids: Any = None
    interrupted_message_id: str | None = None
    source_tool_assistant_uuid: str | None = msgspec.field(default=None, name="sourceToolAssistantUUID")
    tool_use_result: ToolFacts | str | list[Any] | None = None
    tool_denial_kind: str | None = None
    # system
    subtype: str | None = None
    content: Any = None
    level: Any = None
    compact_metadata: Any = None
    # attachment, progress
    attachment: Attachment | None = None
    rendered: Any = None
    rendered_role: str | None = None
    data: Progress | None = None
    parent_tool_use_id: str | None = msgspec.field(default=None, name="parentToolUseID")
    # state
    leaf_uuid: str | msgspec.UnsetType | None = msgspec.UNSET
    explicit: bool = False
    last_prompt: str | None = None
    summary: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    operation: str | None = None
    mode: str | None = None
    agent_name: str | None = None
    pr_number: Any = None
    pr_url: str | None = None
    pr_repository: str | None = None
    worktree_session: Any = None
    relocated_cwd: str | None = None


Kind: TypeAlias = Literal[
    "user",
    "assistant",
    "system",
    "attachment",
    "progress",
    "queue-operation",
    "last-prompt",
    "fact",
    "sesh-link",
    "state",
    "unknown",
    "unreadable",
]
"""What a line is to the reader. `MAPPING.md` says what becomes of each. Texts and no enum: each look at a member of an
enum costs as much as a call (CPython 3.11), and every line is asked many times."""

FACTS: Final = frozenset(
    {"summary", "custom-title", "ai-title", "agent-name", "pr-link", "worktree-state", "relocated"}
)
"""Lines that say something of the thread itself (title, folder, pull request)."""

STATE: Final = frozenset(
    {
        "file-history-snapshot",
        "file-history-delta",
        "mode",
        "permission-mode",
        "tools-used",
        "atis-latch",
        "cost-state",
        "api-request",
        "api-request-shape",
        "api-request-blob",
        "api-request-resumed",
        "agent-color",
        "agent-setting",
        "attribution-snapshot",
        "bridge-session",
        "dev-mods",
        "frame-link",
        "isolation-latch",
        "memory-mode",
        "session-owner",
        "artifact-autoreact-ledger",
        "artifact-comment-monitor",
        "data-flow-incomplete",
        "data-flow-records",
        "derived-from",
        "ended-by-model",
        "history-suppression",
        "observer-ref",
        "repl-mode",
        "resume-head-vouch",
    }
)
"""Lines that are the client's own state: counted as skipped under their type. From `api-request-resumed` on, known by
name from 2.1.328 and never seen in a file. Any other type is unknown and kept whole."""

CARRYING: Final = frozenset(
    {
        "file",
        "edited_text_file",
        "hook_additional_context",
        "hook_blocking_error",
        "hook_success",
        "plan_mode",
        "plan_file_reference",
        "nested_memory",
        "invoked_skills",
        "selected_lines_in_ide",
        "opened_file_in_ide",
    }
)
"""Attachment types that bring words of this very session to the model (a mentioned file, a hook's output)."""

QUEUED: Final = "queued_command"
"""The attachment that holds words typed while the model worked."""

ATTACHED_STATE: Final = frozenset(
    {
        "agent_listing_delta",
        "auto_mode",
        "auto_mode_exit",
        "command_permissions",
        "date",
        "deferred_tools_delta",
        "deferred_tools_record",
        "environment",
        "instructions",
        "model",
        "prompt_snapshot",
        "remote_session_change",
        "session_context",
        "silent_turn_reminder",
        "skill_listing",
        "task_reminder",
    }
)
"""Attachment types that are the client's own context, which it gives anew on resume. Any other is kept whole."""

SYSTEM_STATE: Final = frozenset({"api_error", "informational", "stop_hook_summary", "turn_duration"})
"""Subtypes of system lines that say nothing of the talk (with `compact_boundary` and `local_command`, all that were
seen). Any other is kept whole: the client sends none of them, but some hold words (2.1.328 by name: what was said in a
voice call, a recap of what happened while nobody looked)."""

_SUBTYPES: Final = SYSTEM_STATE | {"compact_boundary", "local_command"}

_ATTACHED: Final = CARRYING | ATTACHED_STATE | {QUEUED}

_KINDS: Final[dict[str, Kind]] = {
    **{k: k for k in get_args(Kind) if k not in ("fact", "state", "unknown", "unreadable")},
    **dict.fromkeys(FACTS, "fact"),
    **dict.fromkeys(STATE, "state"),
}


SPEAKING: Final[tuple[Kind, ...]] = ("user", "assistant")
"""Kinds of lines that say something."""


def kind_of(line: Line) -> Kind:
    """What a line is. What lacks its message, and an attachment or system line of no known type, is unknown."""
    kind = _KINDS.get(line.type, "unknown")
    if kind in SPEAKING:
        return kind if line.message is not None else "unknown"
    if kind == "attachment" and (line.attachment is None or line.attachment.type not in _ATTACHED):
        return "unknown"
    if kind == "system" and line.subtype not in _SUBTYPES and line.sesh is None:
        return "unknown"
    return kind


_MESSAGE_KEYS: Final = frozenset(
    (*ApiMessage.__struct_encode_fields__, "type", "stop_details", "container", "context_management", "diagnostics")
)
"""What an API message has besides; none of it is anything that was said."""


def says_elsewhere(data: bytes) -> bool:
    """Whether a message without content has something under keys that no message has.

    Seen: `{"0": "h", "1": "i", ..., "content": []}`, a text taken apart (anthropics/claude-code#24663).
    """
    value = jsontext.loads(data)
    message = value.get("message") if isinstance(value, dict) else None
    return isinstance(message, dict) and any(v for k, v in message.items() if k not in _MESSAGE_KEYS)


_DECODER: Final = msgspec.json.Decoder(Line)
_NESTED: Final[dict[str, type[msgspec.Struct]]] = {
    "message": ApiMessage,
    "attachment": Attachment,
    "data": Progress,
    "origin": Origin,
    "forkedFrom": ForkedFrom,
}


class Odd(msgspec.Struct, frozen=True, gc=False):
    """A piece of a line that the fast decoder refused.

    `line` is None where it is no record (not JSON, or JSON that is no object with a type); `value` is what it is,
    `lost` the names of fields that were not of the type they always have, `flaw` what was wrong with the bytes.
    """

    line: Line | None
    value: JsonValue
    lost: list[str]
    flaw: str | None
    readable: bool


def decode(data: bytes) -> Line | None:
    """A line as a record, or None where it takes `pieces` to read it."""
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def pieces(data: bytes) -> list[Odd]:
    """What stands on a line that `decode` refused: its records, and the text that is none."""
    found: list[Odd] = []
    for piece in jsontext.pieces(data):
        if not piece.readable:
            found.append(Odd(line=None, value=piece.text, lost=[], flaw=piece.flaw, readable=False))
            continue
        line, lost = from_value(piece.value)
        found.append(Odd(line=line, value=piece.value, lost=lost, flaw=piece.flaw, readable=True))
    return found


def from_value(value: JsonValue) -> tuple[Line | None, list[str]]:
    """A decoded object as a record and the names of the fields that did not fit; None where it is no record."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return None, []
    lost: list[str] = []
    fields: JsonObject = dict(value)
    for name, into in _NESTED.items():
        inner = fields.get(name)
        if isinstance(inner, dict):
            fitted, odd = _fit(inner, into)
            fields[name] = fitted
            lost += [f"{name}.{o}" for o in odd]
    line, odd = jsontext.salvage(fields, Line)
    return line, lost + odd


def _fit(value: JsonObject, into: type[msgspec.Struct]) -> tuple[JsonObject, list[str]]:
    """The same object without the fields that do not fit."""
    odd = []
    for field in jsontext.fields(into):
        if field.encode_name in value:
            try:
                jsontext.convert(value[field.encode_name], field.type)
            except msgspec.ValidationError:
                odd.append(field.encode_name)
    return {k: v for k, v in value.items() if k not in odd}, odd
