"""Canonical blocks as the content of a Claude Code line: what the Messages API takes, and nothing it would refuse.

Rules of the API that hold here (formats/claude-code.md §3): a tool's id is `[a-zA-Z0-9_-]+` and its name
`[a-zA-Z0-9_-]{1,128}`, an input is an object, a text is not blank, images are png, jpeg, gif or webp and never said by
the assistant. What does not fit goes over in the nearest form that does, under a code of report/codes.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from sesh.format import jsontext
from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    UnknownBlock,
    WebSearchBlock,
    output_parts,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.format.regex import regex
from sesh.format.stamp import Same

Call: TypeAlias = ToolCallBlock | FileChangeBlock | WebSearchBlock
CALLS: Final = (ToolCallBlock, FileChangeBlock, WebSearchBlock)
"""`Call` for `isinstance`, which takes twice as long over a union."""
Side: TypeAlias = Literal["assistant", "user", "result"]
"""Which line a block stands on: the assistant's, a user's, or a user's line of tool results."""

_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_LARGEST_IMAGE: Final = 5 * 1024 * 1024
"""Characters of base64. 2.1.328 begins no request that has a larger picture anywhere in it, so that the session could
never go on (measured: 5,019,564 are sent, 5,292,032 are not)."""
_ADDRESS: Final = regex(r"https?://[!-~]+", re.I)
"""Addresses that may be fetched: no white space, nothing beyond ASCII."""
_NOT_NAME: Final = regex(r"[^a-zA-Z0-9_-]")
_NUMBERED: Final = regex(r"(.+)_\d+")
NOTHING_RECORDED: Final = "aborted"
"""The result of a call that never got one. It is the word that Codex sends in the same place (formats/codex.md §4)."""

NO_PROMPT: Final = "(no content)"
"""A made-up prompt. It is what 2.1.328 sends for a message of the user that holds nothing."""


class Written(msgspec.Struct, frozen=True, gc=False):
    """A block that a writer made up beside the ones it was given: its content, and what the screen draws of it."""

    content: JsonObject
    drawn: JsonValue = None


class Said(msgspec.Struct, gc=False):
    """A block in the API's form.

    `content` is None where the block cannot be said, and `dropped` then tells what it was. `code` names a change.
    `faithful` is False where the content alone does not give the block back, so that a stamp has to. `drawn` is what
    the screen draws of a result; `more` are further calls that stand for a part of a call, or their results, on lines
    of their own. `same` tells where a result says its output.
    """

    content: JsonObject | None
    code: str | None = None
    dropped: str | None = None
    faithful: bool = True
    drawn: JsonValue = None
    more: Sequence[Written] = ()
    same: Same | None = None


class Use(msgspec.Struct, gc=False):
    """A tool call as it is written: the tool's name and an object of arguments; `code` where they were changed.

    `id` is given when all the calls beside it are known.
    """

    name: str
    input: JsonObject
    code: str | None = None
    id: str = ""


class Output(msgspec.Struct, frozen=True, gc=False):
    """A tool's result as it is written."""

    content: JsonValue
    code: str | None = None


def said(block: AnyBlock, on: Side) -> Said:
    """A block that is neither a call nor a result, as content of an assistant's or a user's line."""
    match block:
        case TextBlock():
            if not block.text or block.text.isspace():
                return Said(None, dropped="blank-text")
            return Said({"type": "text", "text": block.text})
        case ReasoningBlock():
            # Unsigned or foreign thinking is a 400 from the API, and old clients send whatever stands in the file.
            return Said(None, dropped="reasoning-redacted" if block.redacted else "reasoning")
        case AttachmentBlock():
            return _attachment(block, on)
        case UnknownBlock():
            return _as_text(f"[{block.source_type}]\n{_json(block.raw)}")
        case _:
            raise TypeError(f"{type(block).__name__} is a call or a result")


def _attachment(block: AttachmentBlock, on: Side) -> Said:
    from sesh.format.media import as_base64, decoded, in_url, is_text, media_of  # only attachments need it

    media, data, uri = block.media_type, block.data, block.uri
    plain = True
    if data is None and uri is not None and (found := in_url(uri)) is not None:
        media, data, plain = found[0] or media, found[1], False
    if data is not None and on != "assistant" and (good := as_base64(data)) is not None:
        kind = media_of(good)
        faithful = plain and kind == media and uri is None and good is data
        if kind in _IMAGES and len(good) <= _LARGEST_IMAGE:
            return Said(_source("image", kind, good), faithful=faithful)
        if kind == "application/pdf":
            return Said(_source("document", kind, good), faithful=faithful)
        if kind is None and is_text(media):
            try:
                text = decoded(good).decode("utf-8")
            except UnicodeDecodeError:
                text = ""
            if text.strip():
                document: JsonObject = {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": text},
                }
                return Said(document, faithful=False)
    if data is None and uri is not None and _ADDRESS.fullmatch(uri) and on != "assistant":
        pdf = media == "application/pdf" or uri.split("?")[0].lower().endswith(".pdf")
        if pdf or media is None or media in _IMAGES:
            address: JsonObject = {"type": "url", "url": uri}
            return Said({"type": "document" if pdf else "image", "source": address}, faithful=media is None)
    size = "" if data is None else f", {len(data) * 3 // 4} bytes"
    where = "" if uri is None or uri.startswith("data:") else f", {uri}"
    return _as_text(f"[attachment: {media or 'unknown type'}{size}{where}]")


def _source(kind: str, media: str, data: str) -> JsonObject:
    return {"type": kind, "source": {"type": "base64", "media_type": media, "data": data}}


def _as_text(text: str) -> Said:
    return Said({"type": "text", "text": text}, code="as-text", faithful=False)


def _json(value: JsonValue) -> str:
    return value if isinstance(value, str) else jsontext.escaped(value).decode() if _odd(value) else _compact(value)


def _odd(value: JsonValue) -> bool:
    try:
        jsontext.encode_any(value)
    except UnicodeEncodeError:
        return True
    return False


def _compact(value: JsonValue) -> str:
    return jsontext.encode_any(value).decode()


def kept(block: Call) -> Use:
    """A call under its own name: arguments as they are, wrapped where they are no object."""
    match block:
        case ToolCallBlock():
            name, code = tool_name(block.name)
            if isinstance(block.input, dict):
                return Use(name, block.input, code)
            return Use(name, {"input": block.input}, code or "input-wrapped")
        case FileChangeBlock():
            if block.patch is not None:
                return Use("apply_patch", {"input": block.patch}, "as-call")
            return Use("apply_patch", {} if block.path is None else {"path": block.path}, "as-call")
        case WebSearchBlock():
            return Use("web_search", {"query": block.query}, "as-call")


def tool_name(name: str) -> tuple[str, str | None]:
    """A name the API accepts, and the code `tool-name` where it had to be changed."""
    clean = _NOT_NAME.sub("_", name)[:128] or "tool"
    return clean, None if clean == name else "tool-name"


class CallIds:
    """Ids of calls that the API accepts and the client tells apart, each given once.

    Measured on 2.1.328: beside a call `X`, a call `X_2` (any digits) loses its real result; `X-2` does not.
    """

    def __init__(self) -> None:
        self._taken: Final[set[str]] = set()
        self._stems: Final[set[str]] = set()
        self._tried: Final[dict[str, int]] = {}  # the last number given after each wanted id: those below are taken

    def give(self, wanted: str | None, otherwise: str) -> str:
        """The wanted id, or the nearest that will do; `otherwise` is the wanted one where there is none."""
        base = _NOT_NAME.sub("_", wanted) if wanted else otherwise
        chosen = base
        if not self._is_free(base):
            n = self._tried.get(base, 1) + 1
            while not self._is_free(f"{base}-{n}"):
                n += 1
            self._tried[base] = n
            chosen = f"{base}-{n}"
        self._taken.add(chosen)
        if (stem := _stem(chosen)) is not None:
            self._stems.add(stem)
        return chosen

    def _is_free(self, name: str) -> bool:
        return name not in self._taken and name not in self._stems and _stem(name) not in self._taken


def _stem(name: str) -> str | None:
    """`X` of an id `X_2`; None for other ids."""
    match = _NUMBERED.fullmatch(name) if name[-1:].isdigit() else None
    return None if match is None else match[1]


def output(value: JsonValue) -> Output:
    """A tool's output as the content of a tool_result: text, or a list of texts, images and documents."""
    if isinstance(value, str):
        return Output(value)
    parts = output_parts(value)
    if parts is None:
        return Output("" if value is None else _json(value), "output-flattened")
    content: list[JsonObject] = []
    code: str | None = None
    for part in parts:
        one = said(part, "user")
        if one.content is not None:
            content.append(one.content)
        if one.code or one.dropped or not one.faithful:
            code = one.code or code or "output-flattened"
    return Output(content, code)


def stub_output(block: Call) -> str:
    """What stands for the result of a call that has none.

    A patch without an id cannot have one, so that nothing says that it was not applied.
    """
    if isinstance(block, FileChangeBlock) and block.call_id is None:
        return "The patch was given; what came of it was not recorded."
    if isinstance(block, WebSearchBlock):
        return _json(block.results) if block.results is not None else "The search ran; its results were not recorded."
    return NOTHING_RECORDED
