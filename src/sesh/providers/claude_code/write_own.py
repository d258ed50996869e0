"""Claude Code's own records, written again from what the reader kept of them.

A block that the reader made of the API's JSON becomes that JSON again: what the canonical block has no field for (a
thinking block's signature, `cache_control`, a server tool's type) stands in its `provider_data`. A record made this way
is read once more before it is trusted; one that would not read as the same messages goes the way of other vendors'.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from sesh.format import stamp
from sesh.format.blocks import (
    AnyBlock,
    AttachmentBlock,
    FileChangeBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    UnknownBlock,
    WebSearchBlock,
    output_parts,
)
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Message
from sesh.format.regex import regex
from sesh.providers.claude_code.kinds import begins_turn
from sesh.providers.claude_code.records import from_value
from sesh.providers.claude_code.said import Said, by_assistant, by_attachment, by_system, by_user
from sesh.providers.claude_code.tools_shown import drawn
from sesh.providers.claude_code.write_blocks import Use, kept

PROVIDER: Final = "claude-code"
_SAVED: Final = regex(r"[/\\]tool-results[/\\](\w[\w.-]*)")
_ON_THE_MESSAGE: Final = ("messageId", "model", "stopReason", "stopSequence", "plainContent", "compactMetadata")
_NOT_ON_THE_LINE: Final = (*_ON_THE_MESSAGE, "line", "subtype", "attachment", "commandMode")


class OwnRecord(NamedTuple):
    """A record of Claude Code's own. `line` lacks only what the chain gives (parent, time, session).

    `stamp` is set where the line alone does not say all (a spilled output, which the line only previews). `raw` says
    that `line` is the record as it stood in its file; then `spilled` is the name and the text of the file beside the
    session that holds the whole output.
    """

    line: JsonObject
    uuid: str
    stamp: stamp.Stamp | None = None
    raw: bool = False
    spilled: tuple[str, str] | None = None

    @property
    def kind(self) -> str:
        """The line's type."""
        return str(self.line.get("type"))

    @property
    def step_id(self) -> str | None:
        """The `message.id` of an assistant's line."""
        message = self.line.get("message")
        found = message.get("id") if isinstance(message, dict) and self.kind == "assistant" else None
        return found if isinstance(found, str) else None

    @property
    def is_boundary(self) -> bool:
        """Whether this is a compaction's boundary."""
        return self.kind == "system" and self.line.get("subtype") == "compact_boundary"


def is_own(message: Message) -> bool:
    """Whether Claude Code wrote the record that a message was read from."""
    return message.provenance is not None and message.provenance.provider == PROVIDER


def own_record(parts: Sequence[Message], *, keep_raw: bool) -> OwnRecord | None:
    """The record that these messages (all that one record gave) were read from; None where it cannot be made again."""
    first = parts[0]
    uuid = first.provenance.source_id if first.provenance is not None else None
    if not uuid:
        return None
    if keep_raw and isinstance(first.raw, dict) and first.raw.get("uuid") == uuid:
        return OwnRecord(first.raw, uuid, raw=True, spilled=_spilled(parts))
    line = _line(parts)
    if line is None:
        return None
    previews = [_preview(b) for m in parts for b in m.content]
    if line["type"] == "system" and line["subtype"] == "compact_boundary":
        return OwnRecord(line, uuid)
    if not _reads_as(line, parts, previews):
        return None
    if any(p is not None for p in previews):
        if len(parts) > 1:
            return None
        blocks = stamp.wire_blocks(first.content)
        return OwnRecord(line, uuid, stamp.Stamp(kind=first.kind or stamp.SAID, blocks=blocks))
    return OwnRecord(line, uuid)


def _spilled(parts: Sequence[Message]) -> tuple[str, str] | None:
    for message in parts:
        for block in message.content:
            preview = _preview(block)
            if preview is not None and isinstance(block, ToolResultBlock) and isinstance(block.output, str):
                found = _SAVED.search(str(preview))
                return None if found is None else (found[1], block.output)
    return None


def _line(parts: Sequence[Message]) -> JsonObject | None:
    first = parts[0]
    data = first.provider_data or {}
    flags = {k: v for k, v in data.items() if k not in _NOT_ON_THE_LINE}
    if data.get("line") == "system":
        text = "".join(b.text for b in first.content if isinstance(b, TextBlock))
        line: JsonObject = {"type": "system", "subtype": data.get("subtype"), "content": text, **flags}
        if data.get("compactMetadata") is not None:
            line["compactMetadata"] = data["compactMetadata"]
        return line
    blocks = [own_block(b) for m in parts for b in m.content]
    if data.get("line") == "attachment":
        return _queued(first, data, blocks, flags)
    content: JsonValue = blocks
    if data.get("plainContent"):
        if len(blocks) != 1 or blocks[0].get("type") != "text":
            return None
        content = blocks[0]["text"]
    if "messageId" in data or first.role == "assistant":
        if "messageId" not in data or not (data.get("model") or first.model):
            return None  # without either of them some version merges messages, or hangs
        return {"type": "assistant", "message": _api(parts, data, content), **flags}
    made: JsonObject = {"type": "user", "message": {"role": "user", "content": content}, **flags}
    results = [b for m in parts for b in m.content if isinstance(b, ToolResultBlock)]
    if len(results) == 1:
        facts = (results[0].provider_data or {}).get("toolUseResult")
        if isinstance(facts, dict):
            made["toolUseResult"] = facts
    return made


def _queued(message: Message, data: JsonObject, blocks: list[JsonObject], flags: JsonObject) -> JsonObject | None:
    """A prompt typed while the model worked. Other attachments hold more than the reader keeps."""
    if data.get("attachment") != "queued_command":
        return None
    plain = len(blocks) == 1 and blocks[0].get("type") == "text"
    attachment: JsonObject = {"type": "queued_command", "prompt": blocks[0]["text"] if plain else blocks}
    if "commandMode" in data:
        attachment["commandMode"] = data["commandMode"]
    if message.kind is None:
        attachment["origin"] = {"kind": "human"}
    return {"type": "attachment", "attachment": attachment, **flags}


def _api(parts: Sequence[Message], data: JsonObject, content: JsonValue) -> JsonObject:
    model = data.get("model") or parts[0].model
    api: JsonObject = {"id": data["messageId"], "type": "message", "role": "assistant", "model": model}
    api["content"] = content
    api["stop_reason"] = data.get("stopReason")
    api["stop_sequence"] = data.get("stopSequence")
    usage = next((m.usage for m in parts if m.usage is not None), None)
    if usage is not None:
        counts = {
            "input_tokens": usage.input_tokens,
            "cache_creation_input_tokens": usage.cache_write_tokens,
            "cache_read_input_tokens": usage.cache_read_tokens,
            "output_tokens": usage.output_tokens,
        }
        api["usage"] = {k: v for k, v in counts.items() if v is not None}
    return api


def _preview(block: AnyBlock) -> JsonValue:
    return block.excerpt if isinstance(block, ToolResultBlock) else None


def _reads_as(line: JsonObject, parts: Sequence[Message], previews: Sequence[JsonValue]) -> bool:
    """Whether the reader would make the same messages of a line."""
    record, lost = from_value(line)
    if record is None or lost:
        return False
    wanted = [(m.role, m.kind, [_bare(b) for b in m.content]) for m in parts]
    if any(p is not None for p in previews):
        return True  # a stamp says the rest
    readings: Iterable[list[Said]]
    match line["type"]:
        case "user":
            readings = (by_user(record), by_user(record, after_command=True))
        case "assistant":
            readings = (by_assistant(record),)
        case "system":
            readings = (by_system(record),)
        case _:
            readings = (by_attachment(record),)
    return any(
        [(s.role, s.kind, [_bare(b) for b in s.content]) for s in said] == wanted
        and _begin_the_turns(line, said, parts)
        for said in readings
    )


def _begin_the_turns(line: JsonObject, said: Sequence[Said], parts: Sequence[Message]) -> bool:
    """Whether the parts that would begin a turn when read did begin one."""
    if line["type"] == "attachment":
        return True
    return all(m.turn_id == m.id for s, m in zip(said, parts, strict=True) if s.voice and begins_turn(s.voice))


def _bare(block: AnyBlock) -> AnyBlock:
    return block if block.provider_data is None else msgspec.structs.replace(block, provider_data=None)


def drawn_again(line: JsonObject, use: Use | None, block: ToolResultBlock) -> JsonValue:
    """A record's `toolUseResult`: what the reader kept of it, over what the screen would need for such a result."""
    data = block.provider_data or {}
    facts = line.get("toolUseResult")
    content = own_output(block.given)
    base = None if use is None else drawn(use, content, data.get("toolUseError") or None)
    if isinstance(facts, dict):
        return {**base, **facts} if isinstance(base, dict) else facts
    return base


def own_block(block: AnyBlock) -> JsonObject:
    """The block in the API's form, as the client had it."""
    more = block.provider_data or {}
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text, **more}
        case ReasoningBlock():
            if more.get("type") == "redacted_thinking":
                return {"type": "redacted_thinking", **more}
            return {"type": "thinking", "thinking": block.text or "", **more}
        case ToolCallBlock():
            return {"type": "tool_use", "id": block.call_id, "name": block.name, "input": block.input, **more}
        case FileChangeBlock():
            use = kept(block)
            return {"type": "tool_use", "id": block.call_id, "name": use.name, "input": use.input}
        case WebSearchBlock():
            made = {
                "type": "server_tool_use",
                "id": block.call_id,
                "name": "web_search",
                "input": {"query": block.query},
            }
            return {**made, **more}
        case ToolResultBlock():
            result: JsonObject = {
                "type": "tool_result",
                "tool_use_id": block.call_id,
                "content": own_output(block.given),
            }
            more = {k: v for k, v in more.items() if k not in ("toolUseResult", "toolUseError")}
            if block.is_error is not None:
                result["is_error"] = block.is_error
            return {**result, **more}
        case AttachmentBlock():
            return _attachment(block, more)
        case UnknownBlock():
            return block.raw if isinstance(block.raw, dict) else {"type": "text", "text": str(block.raw)}


def own_output(output: JsonValue) -> JsonValue:
    """A tool's output as the content it was."""
    if isinstance(output, str):
        return output
    parts = output_parts(output)
    return output if parts is None else [own_block(p) for p in parts]


def _attachment(block: AttachmentBlock, more: JsonObject) -> JsonObject:
    rest = {k: v for k, v in more.items() if k not in ("type", "source")}
    extra = more.get("source")
    source: JsonObject
    if isinstance(extra, dict) and extra.get("type") == "text" and block.data is not None:
        from base64 import b64decode  # only for a document that was text

        text = b64decode(block.data).decode("utf-8", "surrogatepass")
        source = {"type": "text", "media_type": block.media_type, "data": text}
    elif block.data is not None:
        source = {"type": "base64", "media_type": block.media_type, "data": block.data}
    else:
        source = {"type": "url", "url": block.uri}
        if block.media_type is not None:
            source["media_type"] = block.media_type
    if isinstance(extra, dict):
        source = {**source, **extra}
    return {"type": more.get("type", "image"), "source": source, **rest}
