"""A Claude Code session's line in a list, from its first and last bytes.

The rules are the client's own picker's (formats/claude-code.md §5): the title is the last custom-title, then the
last ai-title, then the first prompt; what is no human's text (isMeta, text that begins with a tag) is passed over;
sessions of `claude -p` (entrypoint sdk-cli) and of sub-agents are hidden. Client 1.0 kept titles in summary lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from sesh.format import jsontext, lines
from sesh.format.json import JsonObject
from sesh.format.regex import regex
from sesh.providers.api import Card, Glimpse

_TAGGED: Final = regex(r"\s*<[a-zA-Z][\w-]*[ />]|\s*\[Request interrupted by user|\s*$")
_TOP: Final = 1 << 12
"""Where what stands at the top of a file is looked for: a whole head costs more than all the rest of a card."""
_END: Final = 1 << 14
"""The same for what stands at the end."""
_TITLES: Final = (("custom-title", "customTitle"), ("ai-title", "aiTitle"))
_COMMAND: Final = regex(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS: Final = regex(r"<command-args>(.*?)</command-args>", re.DOTALL)


class _Said(msgspec.Struct, gc=False):
    content: Any = None
    model: str | None = None


class _Line(msgspec.Struct, rename="camel", gc=False):
    """The fields of any line that a list needs."""

    type: str | None = None
    is_sidechain: bool = False
    is_meta: bool = False
    is_compact_summary: bool = False
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    timestamp: str | None = None
    entrypoint: str | None = None
    message: _Said | None = None


_decode: Final = msgspec.json.Decoder(_Line).decode


def card(glimpse: Glimpse) -> Card:
    """The line in the list. Never raises: what cannot be read is left out."""
    head, tail = glimpse.head, glimpse.tail
    first: _Line | None = None
    cwd = branch = version = created = model = prompt = entry = command = None
    conversation, turns = False, 0
    for line in _lines(head, glimpse.whole):
        if line.type not in ("user", "assistant") and line.cwd is None:
            continue
        first = first or line
        cwd, branch, version = cwd or line.cwd, branch or line.git_branch, version or line.version
        created, entry = created or line.timestamp, entry or line.entrypoint
        if line.message is None:
            continue
        conversation = True
        if line.type == "assistant":
            model = model or (line.message.model if line.message.model != "<synthetic>" else None)
        elif not (line.is_meta or line.is_sidechain or line.is_compact_summary):
            said = _human(line.message.content)
            prompt = prompt or said
            command = command or (None if prompt else _command(line.message.content))
            turns += said is not None
        if prompt and cwd and model and not glimpse.whole:
            break
    last = _last_place(tail or head)
    if last is not None:  # a session that enters a worktree moves there
        cwd, branch = last.cwd or cwd, last.git_branch or branch
    return Card(
        title=_title(head, tail),
        prompt=prompt or command,
        cwd=cwd,
        branch=branch if branch not in ("", "HEAD") else None,
        model=model,
        version=version,
        created=created,
        updated=lines.last_time(tail or head) or created,
        hidden=_hidden(first, entry, conversation or not glimpse.whole),
        turns=turns if glimpse.whole else None,
        handed_from=_maker(head, tail),
    )


def _lines(head: bytes, whole: bool) -> Iterator[_Line]:
    start, end = 0, len(head)
    while start < end:
        stop = head.find(b"\n", start)
        if stop < 0:
            if not whole:
                return  # cut by the glimpse
            stop = end
        line = head[start:stop]
        start = stop + 1
        # Of the many kinds of lines, only chained ones have a cwd; the client's bulky logs of requests have none.
        if b'"cwd"' not in line and b'"message"' not in line:
            continue
        try:
            yield _decode(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            yield from _odd(line)


def _odd(line: bytes) -> Iterator[_Line]:
    for piece in jsontext.pieces(line):
        if piece.readable and isinstance(piece.value, dict):
            value = piece.value
            if not isinstance(value.get("message"), dict):
                value = {k: v for k, v in value.items() if k != "message"}
            yield jsontext.salvage(value, _Line)[0]


def _human(content: Any) -> str | None:
    """The text of a prompt, or None where nobody typed it (a tool's result, a command's echo)."""
    if isinstance(content, list):
        texts = [b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str)]
        if any(isinstance(b, dict) and b.get("type") == "tool_result" for b in content):
            return None
        content = "\n".join(t for t in texts if not _TAGGED.match(t))
    if not isinstance(content, str) or _TAGGED.match(content):
        return None
    return content.strip()


def _command(content: Any) -> str | None:
    """A slash command as the human typed it: the only prompt of some sessions."""
    name = _COMMAND.search(content) if isinstance(content, str) else None
    if name is None:
        return None
    arguments = _ARGUMENTS.search(content)
    return f"{name[1].strip()} {arguments[1].strip() if arguments else ''}".strip()


def _last_place(part: bytes) -> _Line | None:
    """The last line that says a working folder."""
    at = part.rfind(b'"cwd"')
    while at >= 0:
        start, end = part.rfind(b"\n", 0, at) + 1, part.find(b"\n", at)
        try:
            line = _decode(part[start : end if end >= 0 else len(part)])
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            line = None
        if line is not None and line.cwd is not None:
            return line
        at = part.rfind(b'"cwd"', 0, start)
    return None


def _title(head: bytes, tail: bytes) -> str | None:
    for kind, key in _TITLES:
        for part in (tail, head):
            title = _last(part, kind).get(key)
            if isinstance(title, str) and title.strip():
                return title.strip()
    # Client 1.0 wrote summaries at the top only, those of other sessions among them.
    summary = _last(head, "summary") if b'"summary"' in head[:_TOP] else {}
    leaf, title = summary.get("leafUuid"), summary.get("summary")
    if isinstance(leaf, str) and isinstance(title, str) and title.strip():
        own = f'"uuid":"{leaf}"'.encode()
        return title.strip() if own in head or own in tail else None
    return None


def _maker(head: bytes, tail: bytes) -> str | None:
    """The session that sesh made this one from, off the link line it left: the first line, or a late one of a merge."""
    late = tail or head[-_END:]  # a file that was read whole has no tail
    stamp = (_last(late, "sesh-link") or _last(head[:_TOP], "sesh-link")).get("sesh")
    if not isinstance(stamp, dict) or not isinstance(stamp.get("sessionId"), str):
        return None
    return f"{stamp.get('provider')}:{stamp['sessionId']}"


def _last(part: bytes, kind: str) -> JsonObject:
    """The last line of a kind, decoded; empty where there is none."""
    word = f'"{kind}"'.encode()
    # Most files have no such line, and `in` finds that out much faster than `rfind`.
    at = part.rfind(word) if word in part else -1
    while at >= 0:
        start, end = part.rfind(b"\n", 0, at) + 1, part.find(b"\n", at)
        try:
            value = jsontext.loads(part[start : end if end >= 0 else len(part)])
        except jsontext.UnreadableJson:
            value = None
        if isinstance(value, dict) and value.get("type") == kind:
            return value
        at = part.rfind(word, 0, start)  # the words stood inside of another line
    return {}


def _hidden(first: _Line | None, entrypoint: str | None, conversation: bool) -> str | None:
    if first is not None and first.is_sidechain:
        return "sub-agent"
    if not conversation:
        return "empty"
    return "sdk" if entrypoint == "sdk-cli" else None
