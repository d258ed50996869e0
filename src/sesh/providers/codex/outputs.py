"""What a tool gave back: its parts in canonical form, and whether it failed, read from what is said there.

Codex has no error flag in an output (formats/codex.md §3). What its versions write instead: a JSON string with
`metadata.exit_code` (0.36), `Exit code: N` (0.47 to 0.87), `Process exited with code N` (0.104 and later), `Script
completed` or `Script failed` (code mode), or a plain sentence where the tool never ran.
"""

from __future__ import annotations

import re
from typing import Any, Final

from sesh.format import blocks, jsontext
from sesh.format.json import JsonObject, JsonValue
from sesh.format.regex import regex

_EXIT: Final = regex(r"\AExit code: (-?\d+)\n")
_PROCESS: Final = regex(r"\nProcess exited with code (-?\d+)(?:\n|\Z)")
_FAILED: Final = regex(
    r"\A(?:[a-z]+(?:_[a-z]+)+(?: verification)? failed(?: for [^\n:]*)?: |unsupported (?:custom tool )?call: |"
    r"failed to parse function arguments: |aborted\Z|aborted by user\b|Script failed\n|"
    r"Wall time: [\d.]+ seconds\naborted by user\Z|[\w.-]+ is unavailable in \w+ mode\Z|"
    r"(?:exec_command|shell|apply_patch) (?:was )?rejected\b)"
)
_FINE: Final = regex(r"\A(?:Script completed\n|Success\. Updated the following files:)")


def parts_of(content: list[Any]) -> list[JsonObject]:
    """Content parts of an output as canonical parts in wire form."""
    return [blocks.part(part_block(p)) for p in content]


def part_block(part: Any) -> blocks.TextBlock | blocks.AttachmentBlock | blocks.UnknownBlock:
    """One content part: text, image, or whatever else, kept. What has no field of its own is `provider_data`."""
    if isinstance(part, dict):
        kind = part.get("type")
        text = part.get("text")
        if kind in ("input_text", "output_text", "text") and isinstance(text, str):
            return blocks.TextBlock(text=text, provider_data=_rest(part, "text"))
        url = part.get("image_url")
        if kind == "input_image" and isinstance(url, str):
            return attachment(url, _rest(part, "image_url"))
        return blocks.UnknownBlock(source_type=kind if isinstance(kind, str) else "part", raw=part)
    return blocks.UnknownBlock(source_type="part", raw=part)


def _rest(part: JsonObject, *known: str) -> JsonObject | None:
    if len(part) == len(known) + 1:
        return None
    return {k: v for k, v in part.items() if k != "type" and k not in known}


_DATA_URL: Final = regex(r"data:([^;,]*);base64,(.*)", re.DOTALL)


def attachment(url: str, rest: JsonObject | None = None) -> blocks.AttachmentBlock:
    """An image by its URL; a base64 data URL is taken apart."""
    match = _DATA_URL.fullmatch(url) if url.startswith("data:") else None
    if match is None:
        return blocks.AttachmentBlock(uri=url, provider_data=rest)
    return blocks.AttachmentBlock(media_type=match[1] or None, data=match[2], provider_data=rest)


def output_of(output: JsonValue) -> JsonValue:
    """An output item's `output` as canonical output: text as it is, a list of parts in wire form, other JSON as it is.

    Parts are told by their `type`; a list without one is the tool's own JSON.
    """
    if isinstance(output, list) and output and all(isinstance(p, dict) and "type" in p for p in output):
        return parts_of(output)
    return output


def failed(output: JsonValue) -> bool | None:
    """Whether the run failed, as far as the output says. None: it does not say."""
    if isinstance(output, str):
        return _said(output)
    if isinstance(output, dict):
        for key in ("success", "ok"):
            if isinstance(output.get(key), bool):
                return not output[key]
        return _exit_code(output)
    if isinstance(output, list):
        first = output[0] if output else None
        text = first.get("text") if isinstance(first, dict) else None
        return _said(text) if isinstance(text, str) else None
    return None


def _said(text: str) -> bool | None:
    if text.startswith('{"') and '"exit_code"' in text[-200:]:
        try:
            return _exit_code(jsontext.loads(text))
        except jsontext.UnreadableJson:
            return None
    if text.startswith("Exit code: "):
        match = _EXIT.match(text)
        if match is not None:
            return match[1] != "0"
    elif text.startswith(("Chunk ID: ", "Wall time: ")):
        # The header ends at "Output:"; what comes after it are the program's own words.
        end = text.find("\nOutput:\n", 0, 1000)
        match = _PROCESS.search(text, 0, end if end >= 0 else 300)
        if match is not None:
            return match[1] != "0"
    if _FAILED.match(text):
        return True
    return False if _FINE.match(text) else None


def _exit_code(value: JsonValue) -> bool | None:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    return code != 0 if isinstance(code, int) else None
