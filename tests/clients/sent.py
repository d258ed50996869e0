"""A request body as rows that mean the same for both vendors: what tests/corpus/sent holds and tests compare.

A row: {"kind": user|assistant|call|result|image|thinking|reasoning|..., "text", "id", "name", "input", "images"}.
Images are digests of their base64 text. What the client puts in by itself goes to `context`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from tests.clients.probe import PROMPT, Row

_CODEX_CONTEXT: Final = (
    "<environment_context>",
    "# AGENTS.md instructions",
    "<user_instructions>",
    "<permissions instructions>",
    "<skills_instructions>",
    "<recommended_plugins>",
    "<apps_instructions>",
    "<INSTRUCTIONS>",
    "<collaboration_mode>",
)


def codex_rows(items: Iterable[dict[str, Any]]) -> tuple[list[Row], list[Row]]:
    """(sent, context) of a Responses API `input` list."""
    sent: list[Row] = []
    context: list[Row] = []
    for item in items:
        kind = item.get("type") or ("message" if "role" in item else "?")
        match kind:
            case "message":
                row = _row(item["role"], item.get("content"))
                own = item["role"] in ("developer", "system") or (
                    item["role"] == "user" and row["text"].lstrip().startswith(_CODEX_CONTEXT)
                )
                (context if own else sent).append(row)
            case "function_call":
                call = {"kind": "call", "id": item.get("call_id"), "name": item.get("name")}
                sent.append({**call, "input": _decoded(item.get("arguments"))})
            case "custom_tool_call":
                call = {"kind": "call", "id": item.get("call_id"), "name": item.get("name")}
                sent.append({**call, "input": item.get("input")})
            case "function_call_output" | "custom_tool_call_output":
                sent.append(_row("result", item.get("output"), id=item.get("call_id")))
            case "additional_tools" | "configuration_update":
                context.append({"kind": kind})
            case _:
                rest = {k: v for k, v in item.items() if k not in ("type", "id", "encrypted_content")}
                sent.append({"kind": kind, **rest})
    return sent, context


def claude_rows(messages: Iterable[dict[str, Any]]) -> tuple[list[Row], list[Row]]:
    """(sent, context) of a Messages API `messages` list."""
    sent: list[Row] = []
    context: list[Row] = []
    for message in messages:
        content = message.get("content")
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content or []:
            match block.get("type"):
                case "text":
                    own = message["role"] == "system" or block["text"].lstrip().startswith("<system-reminder>")
                    (context if own else sent).append({"kind": message["role"], "text": block["text"]})
                case "tool_use":
                    call = {"kind": "call", "id": block.get("id"), "name": block.get("name")}
                    sent.append({**call, "input": block.get("input")})
                case "tool_result":
                    row = _row("result", block.get("content"), id=block.get("tool_use_id"))
                    sent.append({**row, "error": True} if block.get("is_error") else row)
                case "image":
                    sent.append({"kind": "image", "images": _text_and_images([block])[1]})
                case "thinking" | "redacted_thinking" as kind:
                    sent.append({"kind": kind, "text": block.get("thinking", "")})
                case kind:
                    sent.append({"kind": kind or "?", **{k: v for k, v in block.items() if k != "type"}})
    return sent, context


def without_prompt(rows: list[Row], prompt: str = PROMPT) -> list[Row]:
    """The rows less the prompt that the instrument typed; a text it was joined to keeps its other words."""
    kept = []
    for row in rows:
        text = row.get("text")
        if isinstance(text, str) and prompt in text:
            rest = text.replace(prompt, "").strip()
            if rest:
                kept.append({**row, "text": rest})
        else:
            kept.append(row)
    return kept


def _row(kind: str, content: Any, **more: Any) -> Row:
    text, images = _text_and_images(content)
    row = {"kind": kind, **more, "text": text}
    return {**row, "images": images} if images else row


def _decoded(arguments: Any) -> Any:
    try:
        return json.loads(arguments)
    except (TypeError, ValueError):
        return arguments


def _text_and_images(content: Any) -> tuple[str, list[str]]:
    """The joined text, and the digests of the images, of a string or of either vendor's list of parts."""
    if content is None:
        return "", []
    if isinstance(content, str):
        return content, []
    texts: list[str] = []
    images: list[str] = []
    for part in content:
        if isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif part.get("type") == "image":
            source = part.get("source") or {}
            images.append(_digest(source.get("data") or source.get("url") or ""))
        elif part.get("type") == "input_image":
            images.append(_digest((part.get("image_url") or "").split("base64,")[-1]))
        else:
            texts.append(json.dumps(part, sort_keys=True))
    return "\n".join(texts), images


def _digest(data: str) -> str:
    return hashlib.sha256(data.encode()).hexdigest()[:12]
