"""One line as what was said on it: parts with a role, a kind and blocks. Nothing here knows of threads."""

from __future__ import annotations

from typing import Final

import msgspec

from sesh.format.blocks import AnyBlock, AttachmentBlock, TextBlock, ToolResultBlock, UnknownBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.format.message import Kind as MessageKind
from sesh.format.message import Role
from sesh.providers.claude_code.content import blocks_of
from sesh.providers.claude_code.kinds import Voice, kind_of, voice_of
from sesh.providers.claude_code.records import CARRYING, QUEUED, Attachment, Line, Origin

SYNTHETIC: Final = "<synthetic>"
"""`message.model` where the client itself wrote the assistant's line."""

_HOOKS_SENT: Final = ("SessionStart", "UserPromptSubmit")
"""Hooks whose plain output the model is sent (2.1.328: only these have `rendered` on a hook_success)."""


class Said(msgspec.Struct, frozen=True, gc=False):
    """A run of blocks with one role and one voice: it becomes one message."""

    role: Role
    kind: MessageKind | None
    content: list[AnyBlock]
    voice: Voice | None = None


def by_user(line: Line, *, after_command: bool = False) -> list[Said]:
    """What a user line says. Tool results, a human's words and the client's own pieces are messages of their own.

    `after_command`: the line stands under a slash command; then an isMeta text is that command's prompt, which is what
    the human asked for, and not mere context.
    """
    message = line.message
    if message is None:
        return []
    blocks = blocks_of(message.content)
    if line.is_compact_summary:
        return [Said("user", "summary", blocks)] if blocks else []
    out: list[Said] = []
    voice: Voice | None = None
    for block in blocks:
        if isinstance(block, ToolResultBlock):
            _add(out, "tool", None, block, None)
            continue
        if isinstance(block, TextBlock):
            voice = voice_of(block.text, line)
        elif voice is None or not isinstance(block, AttachmentBlock):
            voice = "context" if line.is_meta else "human"
        kind = kind_of(voice)
        if kind == "context" and line.is_meta and after_command and not _wrapped(block):
            kind = "notice"
        _add(out, "system" if voice == "event" and _told_by_client(line.origin) else "user", kind, block, voice)
    return _shown(out) if line.is_virtual else out


def _told_by_client(origin: Origin | None) -> bool:
    """Whether the client sends these words as its own, in the system's voice (2.1.328), and not as the user's."""
    return origin is not None and origin.kind == "task-notification"


def _wrapped(block: AnyBlock) -> bool:
    return isinstance(block, TextBlock) and voice_of(block.text) == "context"


def _add(out: list[Said], role: Role, kind: MessageKind | None, block: AnyBlock, voice: Voice | None) -> None:
    if out and out[-1].role == role and out[-1].kind == kind:
        out[-1].content.append(block)
    else:
        out.append(Said(role, kind, [block], voice))


def _shown(parts: list[Said]) -> list[Said]:
    """What a line with `isVirtual` holds (calls that a tool made itself): on the screen, and not sent (2.1.328)."""
    return [msgspec.structs.replace(part, kind="context", voice="context") for part in parts]


def by_assistant(line: Line) -> list[Said]:
    """What an assistant line says. Results of tools that the vendor ran (web search) are tool messages."""
    message = line.message
    if message is None:
        return []
    kind: MessageKind | None = None
    if message.model == SYNTHETIC:
        # "No response requested." is sent; an API error is shown to the human alone (2.1.328, corpus/*-errors).
        kind = "context" if line.is_api_error_message else "notice"
    out: list[Said] = []
    for block in blocks_of(message.content):
        if isinstance(block, ToolResultBlock):
            _add(out, "tool", None, block, None)
        else:
            _add(out, "assistant", kind, block, None)
    return _shown(out) if line.is_virtual else out


def by_system(line: Line) -> list[Said]:
    """A slash command that ran in the client (2.1.328) is sent as the user's; other system lines say nothing."""
    if line.subtype != "local_command" or not isinstance(line.content, str) or not line.content:
        return []
    voice = voice_of(line.content)
    if voice == "human":
        voice = "output"
    return [Said("user", kind_of(voice), [TextBlock(text=line.content)], voice)]


def by_attachment(line: Line) -> list[Said]:
    """A prompt typed while the model worked is the human's; files, hooks and plans are context; the rest is state."""
    attachment = line.attachment
    if attachment is None:
        return []
    if attachment.type == QUEUED:
        return queued(attachment)
    if attachment.type not in CARRYING:
        return []
    blocks = _rendered(line.rendered) or _of_attachment(attachment)
    return [Said("user", "context", blocks, "context")] if blocks else []


def queued(attachment: Attachment) -> list[Said]:
    """The words of a queued command: a human's, unless the client queued them itself."""
    blocks = blocks_of(attachment.prompt)
    if not blocks:
        return []
    origin = attachment.origin.get("kind") if isinstance(attachment.origin, dict) else None
    voice: Voice
    if origin == "human":
        voice = "human"
    elif attachment.command_mode == "task-notification" or origin == "task-notification":
        voice = "event"
    else:
        first = next((b.text for b in blocks if isinstance(b, TextBlock)), "")
        voice = voice_of(first)
    return [Said("system" if voice == "event" else "user", kind_of(voice), blocks, voice)]


def _rendered(rendered: JsonValue) -> list[AnyBlock]:
    """What the client wrote down as sent (2.1.328)."""
    blocks: list[AnyBlock] = []
    for item in rendered if isinstance(rendered, list) else []:
        if isinstance(item, dict):
            blocks += [b for b in blocks_of(item.get("content")) if not isinstance(b, UnknownBlock)]
    return blocks


def _of_attachment(attachment: Attachment) -> list[AnyBlock]:
    """The words or the picture of an attachment that was not written down as sent."""
    content = attachment.content
    if attachment.type == "hook_success" and attachment.hook_event not in _HOOKS_SENT:
        return []
    if attachment.type == "hook_blocking_error" and isinstance(attachment.blocking_error, dict):
        content = attachment.blocking_error.get("blockingError")
    if isinstance(content, dict):
        file = content.get("file")
        if isinstance(file, dict):
            data, text = file.get("base64"), file.get("content")
            if isinstance(data, str) and data:
                media = file.get("type")
                return [AttachmentBlock(media_type=media if isinstance(media, str) else None, data=data)]
            content = text
        else:
            content = content.get("content")
    if isinstance(content, list) and all(isinstance(c, str) for c in content):
        content = "\n".join(content)
    return [TextBlock(text=content)] if isinstance(content, str) and content else []


def provider_data(line: Line) -> JsonObject:
    """What it takes to write the same line again, apart from what the message itself says (MAPPING.md)."""
    out: JsonObject = {}
    message = line.message
    if message is not None:
        if message.id is not None:
            out["messageId"] = message.id
        if message.model == SYNTHETIC:
            out["model"] = SYNTHETIC
        if message.stop_reason is not None:
            out["stopReason"] = message.stop_reason
        if message.stop_sequence is not None:
            out["stopSequence"] = message.stop_sequence
        if isinstance(message.content, str):
            out["plainContent"] = True
    # One question a field, written out: a table of the fields took four times as long, on every line.
    if line.request_id is not None:
        out["requestId"] = line.request_id
    if line.is_meta:
        out["isMeta"] = True
    if line.is_compact_summary:
        out["isCompactSummary"] = True
    if line.is_visible_in_transcript_only:
        out["isVisibleInTranscriptOnly"] = True
    if line.is_api_error_message:
        out["isApiErrorMessage"] = True
    if line.is_aborted_mid_stream:
        out["isAbortedMidStream"] = True
    if line.is_virtual:
        out["isVirtual"] = True
    if line.error is not None and line.error is not False:
        out["error"] = line.error
    if line.api_error_status is not None and line.api_error_status is not False:
        out["apiErrorStatus"] = line.api_error_status
    if line.prompt_id is not None:
        out["promptId"] = line.prompt_id
    if line.prompt_source is not None:
        out["promptSource"] = line.prompt_source
    if line.permission_mode is not None:
        out["permissionMode"] = line.permission_mode
    if line.image_paste_ids is not None and line.image_paste_ids is not False:
        out["imagePasteIds"] = line.image_paste_ids
    if line.interrupted_message_id is not None:
        out["interruptedMessageId"] = line.interrupted_message_id
    if line.tool_denial_kind is not None:
        out["toolDenialKind"] = line.tool_denial_kind
    if line.slug is not None:
        out["slug"] = line.slug
    if line.origin is not None:
        out["origin"] = msgspec.to_builtins(line.origin)
    if line.type == "system":
        out["line"] = "system"
        out["subtype"] = line.subtype
    elif line.attachment is not None:
        out["line"] = "attachment"
        out["attachment"] = line.attachment.type
        if line.attachment.command_mode is not None:
            out["commandMode"] = line.attachment.command_mode
    return out
