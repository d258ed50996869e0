"""Token counts: each message's own, and the closing estimate that lets Codex compact a long history in time.

Without a closing `token_count` Codex does not know that a history is longer than the model's window and sends it
whole; with one, it compacts before the first turn (formats/codex.md §1.6).
"""

from __future__ import annotations

from typing import Final

from sesh.format.json import JsonObject
from sesh.format.message import Usage

WINDOW: Final = 258_400
"""Tokens that Codex 0.155 and 0.169 work with for their default models (`model_context_window` of their own files)."""
BYTES_A_TOKEN: Final = 4
"""Codex's own rule of thumb for text."""
IMAGE_TOKENS: Final = 1_500
"""What an image costs, about: its base64 says nothing of it."""


def estimate(line_length: int, payload: JsonObject) -> int:
    """About how many tokens a response item is, from the length of its line in bytes and its images."""
    parts = payload.get("content")
    if not isinstance(parts, list):
        parts = payload.get("output")
        if not isinstance(parts, list):
            return line_length // BYTES_A_TOKEN
    images, length = 0, 0
    for part in parts:
        url = part.get("image_url") if isinstance(part, dict) else None
        if isinstance(url, str):
            images += 1
            length += len(url)
    return max(line_length - length, 0) // BYTES_A_TOKEN + images * IMAGE_TOKENS


def codex_usage(usage: Usage) -> JsonObject:
    """A message's usage in Codex's terms: `input_tokens` includes what was cached."""
    cached = usage.cache_read_tokens or 0
    written = usage.cache_write_tokens or 0
    sent = (usage.input_tokens or 0) + cached + written
    got = usage.output_tokens or 0
    return {
        "input_tokens": sent,
        "cached_input_tokens": cached,
        "cache_write_input_tokens": written,
        "output_tokens": got,
        "reasoning_output_tokens": usage.reasoning_tokens or 0,
        "total_tokens": sent + got,
    }


def add(total: JsonObject, more: JsonObject) -> JsonObject:
    """Two usages summed."""
    return {key: total.get(key, 0) + n for key, n in more.items()}


def token_count(total: JsonObject, last: JsonObject) -> JsonObject:
    """The event. `last` is the size of the context after the last step."""
    info = {"total_token_usage": total or context_of(0), "last_token_usage": last, "model_context_window": None}
    return {"type": "token_count", "info": info, "rate_limits": None}


def context_of(tokens: int) -> JsonObject:
    """A context of so many tokens, as a usage."""
    return {
        "input_tokens": tokens,
        "cached_input_tokens": 0,
        "cache_write_input_tokens": 0,
        "output_tokens": 0,
        "reasoning_output_tokens": 0,
        "total_tokens": tokens,
    }
