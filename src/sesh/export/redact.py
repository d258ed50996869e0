"""Taking keys, tokens, e-mail addresses and home folders out of a conversation before it is shown to others.

The rules for keys and tokens are those of detect-secrets (package extra `sesh-cli[redact]`), which are kept up to date
by others; a few newer forms are added here. Every find becomes `[redacted KIND]`, and is counted by kind. What the
providers keep for themselves (`providerData`, `raw`) goes altogether: nobody reads it, and anything may be in it.

A detector finds forms, not secrets: a password in prose stays. The report says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import msgspec

from sesh.errors import SeshError
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread, IngestResult

_ASSIGNED: Final = "assigned secret"
_EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")
_HOMES: Final = re.compile(
    r"(?<![\w.-])(?P<root>/home/|/Users/|/root(?=/|\b)|[A-Za-z]:\\{1,2}Users\\{1,2})(?P<user>[^/\\\s\"'`:;,<>|)\]}]*)"
)
_FOLDER_NAME: Final = re.compile(r"(?P<root>-home-|-Users-)(?P<user>[A-Za-z0-9]+)(?=-)")
"""The same in the names of Claude Code's project folders."""
_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|\Z)"
)
_PUTTY: Final = re.compile(r"PuTTY-User-Key-File-[23]:[\s\S]*?(?:Private-MAC: \w+|\Z)")
_MORE: Final = (
    ("JSON Web Token", re.compile(r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?")),
    ("Anthropic key", re.compile(r"sk-ant-[A-Za-z0-9_-]{16,}")),
    ("OpenAI key", re.compile(r"sk-(?:proj|svcacct|admin)?-?[A-Za-z0-9_-]{24,}")),
    ("GitHub token", re.compile(r"github_pat_[A-Za-z0-9_]{22,}")),
    ("Google API key", re.compile(r"AIza[A-Za-z0-9_-]{35}")),
    ("bearer token", re.compile(r"(?i)(?<=bearer )[A-Za-z0-9._~+/-]{16,}=*")),
    (
        _ASSIGNED,
        re.compile(
            r"(?i)(?<![A-Za-z0-9])(?:[A-Z0-9_.-]{0,40}(?:api[_-]?key|secret|token|passwd|password|access[_-]?key))"
            r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?([^\s\"'`,;<>{}()\[\]$]{8,})"
        ),
    ),
)
_WORDS: Final = re.compile(r"[a-z_.]+|\*+|x+", re.IGNORECASE)
"""What follows `token =` and is a name or a stand-in, not a value."""

_OWN: Final = ("Private Key", "JSON Web Token", "Public IP (ipv4)")
"""Kinds of detect-secrets that are not taken: the first finds only a key's first line, the second leaves a token's
signature, the third finds version numbers."""


class Redacted(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation without its secrets, and how many were taken out, by kind."""

    thread: Thread
    messages: list[Message]
    children: list[IngestedThread]
    removed: dict[str, int]


def redact(read: IngestResult) -> Redacted:
    """A copy of a conversation with what the rules find taken out. Raises SeshError where detect-secrets is missing."""
    removed: Counter[str] = Counter()
    families = [IngestedThread(thread=read.thread, messages=read.messages), *read.children]
    clean = [_family(f, removed) for f in families]
    return Redacted(
        thread=clean[0].thread,
        messages=clean[0].messages,
        children=clean[1:],
        removed=dict(sorted(removed.items())),
    )


def _family(family: IngestedThread, removed: Counter[str]) -> IngestedThread:
    plain = msgspec.to_builtins(family.thread)
    metadata = {k: v for k, v in (plain.get("metadata") or {}).items() if k != "providerData"}
    thread = msgspec.convert(_value({**plain, "metadata": metadata or None}, removed), Thread)
    return IngestedThread(thread=thread, messages=[_message(m, removed) for m in family.messages])


def _message(message: Message, removed: Counter[str]) -> Message:
    plain = msgspec.to_builtins(msgspec.structs.replace(message, provider_data=None, raw=None))
    blocks = []
    for block in plain["content"]:
        block.pop("providerData", None)
        data = block.pop("data", None)  # base64: no text, and a rule that matched in it would break the image
        block = _value(block, removed)
        blocks.append(block if data is None else {**block, "data": data})
    return msgspec.convert({**plain, "content": blocks}, Message)


def _value(value: Any, removed: Counter[str]) -> Any:
    if isinstance(value, str):
        return text(value, removed)
    if isinstance(value, list):
        return [_value(v, removed) for v in value]
    if isinstance(value, dict):
        if value.get("type") == "attachment":
            return value
        return {text(k, removed): _value(v, removed) for k, v in value.items()}
    return value


def text(value: str, removed: Counter[str]) -> str:
    """A text without what the rules find; `removed` is counted up."""
    for name, pattern in _rules():
        value = pattern.sub(lambda m, name=name: _stand_in(m, name, removed), value)  # type: ignore[misc]
    return _HOMES.sub(lambda m: _home(m, removed), _FOLDER_NAME.sub(lambda m: _home(m, removed), value))


def _stand_in(match: re.Match[str], name: str, removed: Counter[str]) -> str:
    whole, value = match[0], _secret_in(match, name)
    if value != whole and (_WORDS.fullmatch(value) or value.startswith("[redacted")):
        return whole
    removed[name] += 1
    return whole.replace(value, f"[redacted {name}]")


def _secret_in(match: re.Match[str], name: str) -> str:
    """The part that is the secret: a rule's one group, unless that is only the beginning of it (`ghp_`)."""
    if match.re.groups == 1 and match[1] and (len(match[1]) >= 16 or name in ("Basic Auth Credentials", _ASSIGNED)):
        return match[1]
    return match[0]


def _home(match: re.Match[str], removed: Counter[str]) -> str:
    if match["root"] != "/root" and not match["user"]:
        return match[0]
    removed["home folder"] += 1
    return "~" if match["root"] == "/root" else f"{match['root']}user"


@cache
def _rules() -> Sequence[tuple[str, re.Pattern[str]]]:
    """All rules, the most telling first: a private key before a token in it, an address last."""
    return (("private key", _PRIVATE_KEY), ("private key", _PUTTY), *_detectors(), *_MORE, ("e-mail address", _EMAIL))


def _detectors() -> Sequence[tuple[str, re.Pattern[str]]]:
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.plugins.base import RegexBasedDetector
    except ImportError as e:
        raise SeshError(
            "--redact needs the package detect-secrets, which is not installed.",
            hint="Install it with: pip install 'sesh-cli[redact]'",
        ) from e
    found: list[tuple[str, re.Pattern[str]]] = []
    detector: Any
    for kind, detector in sorted(get_mapping_from_secret_type_to_class().items()):
        # The others judge by entropy or by lists of words: on a transcript they would take out half of the code.
        if issubclass(detector, RegexBasedDetector) and kind not in _OWN:
            found += [(kind, pattern) for pattern in detector.denylist]
    return found
