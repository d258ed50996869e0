"""Taking keys, tokens, e-mail addresses and home folders out of a conversation before it is shown to others.

The rules for keys and tokens are those of detect-secrets (package extra `sesh-cli[redact]`), which are kept up to date
by others; those that it lacks are in `secret_forms.py`. Every find becomes `[redacted KIND]`, and is counted by kind.
What the providers keep for themselves (`providerData`, `raw`) goes altogether: nobody reads it, and anything may be in
it.

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
from sesh.export.secret_forms import STAND_IN, Form, forms
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestedThread, IngestResult

_EMAIL: Final = re.compile(
    r"(?<![\w.+-])(?!(?:git|no-?reply)@)[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}"
    # Names of files have this form, too: logo@2x.png, getty@tty1.service.
    r"(?!(?:png|jpe?g|gif|svg|webp|ico|js|css|json|html|lock|t?gz|service|socket|timer|target)\b)[A-Za-z]{2,24}(?![\w-])"
)
"""An address of somebody: `git@` and `noreply@` are nobody's."""
_HOMES: Final = re.compile(
    r"(?P<root>(?<![\w.-])(?:(?:/var|/export|/usr|/data)?/home/|(?:/mnt)?(?:/[a-z])?/Users/|/root(?=/|\b)"
    r"|[A-Za-z]:(?:\\{1,2}|/)Users(?:\\{1,2}|/))|(?<=\w)\\{1,2}home\\{1,2})(?P<user>[^/\\\s\"'`:;,<>|)\]}]*)"
    r"|(?P<encoded>%2F(?:home|Users)%2F)(?P<name>[^%\s\"'/]*)"
)
_FOLDER_NAME: Final = re.compile(r"(?P<root>-home-|-Users-)(?P<user>[A-Za-z0-9]+)(?=-)")
"""The same in the names of Claude Code's project folders."""
_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|\Z)"
)
_PUTTY: Final = re.compile(r"PuTTY-User-Key-File-[23]:[\s\S]*?(?:Private-MAC: \w+|\Z)")
_OWN: Final = ("Private Key", "JSON Web Token", "Public IP (ipv4)", "NPM tokens")
"""Kinds of detect-secrets that are not taken: the first finds only a key's first line, the second leaves a token's
signature, the third finds version numbers, the fourth takes minutes for a line with many slashes (here `_authToken=` is
an assigned secret)."""


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
    for rule in _rules():
        if not rule.hints or any(hint in value for hint in rule.hints):
            value = rule.pattern.sub(lambda m, kind=rule.kind: _stand_in(m, kind, removed), value)  # type: ignore[misc]
    return _HOMES.sub(lambda m: _home(m, removed), _FOLDER_NAME.sub(lambda m: _home(m, removed), value))


def _stand_in(match: re.Match[str], name: str, removed: Counter[str]) -> str:
    start, end = _secret_in(match, name)
    whole, value = match[0], match.string[start:end]
    if value != whole and (STAND_IN.fullmatch(value) or value.startswith("[redacted")):
        return whole
    removed[name] += 1
    before = match.start()
    return f"{whole[: start - before]}[redacted {name}]{whole[end - before :]}"


def _secret_in(match: re.Match[str], name: str) -> tuple[int, int]:
    """Where the secret is: a rule's one group, unless that is only the beginning of it (detect-secrets: `ghp_`)."""
    if "secret" in match.re.groupindex:
        return match.span("secret")
    if match.re.groups == 1 and match[1] and (len(match[1]) >= 16 or name == "Basic Auth Credentials"):
        return match.span(1)
    return match.span()


def _home(match: re.Match[str], removed: Counter[str]) -> str:
    found = match.groupdict()
    if found.get("encoded"):
        root, user = match["encoded"], match["name"]
    else:
        root, user = match["root"], match["user"]
    if root != "/root" and not user:
        return match[0]
    removed["home folder"] += 1
    return "~" if root == "/root" else f"{root}user"


@cache
def _rules() -> Sequence[Form]:
    """All rules, the most telling first: a private key before a token in it, an address last."""
    private = (Form("private key", _PRIVATE_KEY, ("-----BEGIN",)), Form("private key", _PUTTY, ("PuTTY-",)))
    return (*private, *_detectors(), *forms(), Form("e-mail address", _EMAIL, ("@",)))


def _detectors() -> Sequence[Form]:
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.plugins.base import RegexBasedDetector
    except ImportError as e:
        raise SeshError(
            "--redact needs the package detect-secrets, which is not installed.",
            hint="Install it with: pip install 'sesh-cli[redact]'",
        ) from e
    found: list[Form] = []
    detector: Any
    for kind, detector in sorted(get_mapping_from_secret_type_to_class().items()):
        # The others judge by entropy or by lists of words: on a transcript they would take out half of the code.
        if issubclass(detector, RegexBasedDetector) and kind not in _OWN:
            found += [Form(kind, pattern) for pattern in detector.denylist]
    return found
