"""JSON as it really stands in session files (design.md §5): fast where it can be, forgiving where it must be.

Reading: msgspec first; what it refuses (lone surrogates, invalid UTF-8, two objects on one line, NUL runs) goes
through the standard library piece by piece. Nothing here raises anything but `UnreadableJson`, which says why.
Writing: UTF-8 by msgspec; a record with a lone surrogate is written with escapes instead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, overload

import msgspec

from sesh.format.json import JsonValue
from sesh.format.regex import regex

if TYPE_CHECKING:
    import json

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")

decode_any: Final = msgspec.json.Decoder().decode
encode_any: Final = msgspec.json.Encoder().encode

_BLANK: Final = b" \t\r\n\0"
# How many places on a torn line are tried as the beginning of the next record: bounds the work on hostile input.
_TRIES: Final = 1000


class UnreadableJson(ValueError):
    """These bytes are no JSON value. The message is a short reason, without the bytes themselves."""


class Piece(msgspec.Struct, frozen=True):
    """One JSON value found on a line, or text that is none.

    `flaw` says what was wrong with it ("invalid UTF-8 replaced", "cut off", ...); `readable` is False where no value
    could be had, and then `text` holds what stands there.
    """

    value: JsonValue
    text: str
    flaw: str | None
    readable: bool


def _refuse_constant(name: str) -> NoReturn:
    raise UnreadableJson(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise UnreadableJson(f"number out of range: {text[:20]}")
    return number


@cache
def _lenient() -> json.JSONDecoder:
    import json  # the standard library's is for what msgspec refuses: most runs of the command never need it

    return json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, strict=False)


def loads(data: bytes | str) -> JsonValue:
    """One JSON value. Lone surrogates are kept as they are; invalid UTF-8 becomes U+FFFD.

    Raises UnreadableJson.
    """
    try:
        return decode_any(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        found = pieces(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    if len(found) == 1 and found[0].readable:
        return found[0].value
    if not found:
        raise UnreadableJson("no JSON value")
    raise UnreadableJson("more than one JSON value" if len(found) > 1 else found[0].flaw or "not JSON")


def values(data: bytes) -> list[JsonValue]:
    """The readable JSON values on a line, in order: one, if it is as a line should be."""
    try:
        return [decode_any(data)]
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return [piece.value for piece in pieces(data) if piece.readable]


def pieces(data: bytes) -> list[Piece]:
    """Every JSON value on a line that the fast path refused, in order, and what stands between them.

    A blank line gives no piece. Text after a cut-off value runs to the next `{"` that begins a readable object.
    """
    body = data.strip(_BLANK)
    if not body:
        return []
    flaws: list[str] = []
    if len(body) < len(data) and b"\0" in data:
        flaws.append("NUL bytes left out")
    try:
        text = body.decode("utf-8", "surrogatepass")  # text given as str may hold lone surrogates unescaped
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
        flaws.append("invalid UTF-8 replaced by U+FFFD")
    found: list[Piece] = []
    at, end = 0, len(text)
    while at < end:
        value, stop, flaw = _value_at(text, at)
        if flaw is None:
            found.append(Piece(value, text[at:stop], "; ".join(flaws) or None, True))
        else:
            stop = _next_object(text, at + 1)
            found.append(Piece(None, text[at:stop].rstrip(" \t\0"), "; ".join([*flaws, flaw]), False))
        at = stop
        while at < end and text[at] in " \t\r\n\0":
            at += 1
    if len(found) > 1:
        found = [msgspec.structs.replace(p, flaw="; ".join(filter(None, (p.flaw, "shares its line")))) for p in found]
    return found


def _value_at(text: str, at: int) -> tuple[JsonValue, int, str | None]:
    try:
        value, stop = _lenient().raw_decode(text, at)
    except UnreadableJson as e:
        return None, at, str(e)
    except RecursionError:
        return None, at, "nested too deeply"
    except ValueError as e:
        cut = getattr(e, "pos", 0) >= len(text.rstrip()) or "Unterminated string" in str(e)
        return None, at, "cut off" if cut else "not JSON"
    if stop < len(text) and not isinstance(value, (dict, list)) and text[stop] not in " \t\r\n\0":
        return None, at, "not JSON"  # a bare word that happens to begin like a number
    return value, stop, None


def _next_object(text: str, at: int) -> int:
    """Where the next readable object on this line begins; its end where there is none.

    Only objects that look like a record of their own (`{"`) count, so that the inside of a torn record is not
    mistaken for one unless it reads to the very end of the line.
    """
    for _ in range(_TRIES):
        at = text.find('{"', at)
        if at < 0:
            return len(text)
        _, stop, flaw = _value_at(text, at)
        if flaw is None and not text[stop:].strip(" \t\r\n\0"):
            return at
        at += 2
    return len(text)


@overload
def convert(value: JsonValue, into: type[T]) -> T: ...
@overload
def convert(value: JsonValue, into: Any) -> Any: ...
def convert(value: JsonValue, into: Any) -> Any:
    """A decoded value as a type, by msgspec. Raises msgspec.ValidationError where it does not fit, and nothing else.

    msgspec 0.19 itself raises UnicodeEncodeError where a text with a lone surrogate stands for something else than a
    text, or is a key of a struct.
    """
    try:
        return msgspec.convert(value, into)
    except UnicodeEncodeError as e:
        raise msgspec.ValidationError("a lone surrogate where none can stand") from e


@cache
def fields(into: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """The fields of a struct. msgspec works them out anew each time, which costs more than decoding a line."""
    return msgspec.structs.fields(into)


def salvage(value: JsonValue, into: type[S], *, defaults: dict[str, Any] | None = None) -> tuple[S, list[str]]:
    """A struct from a decoded object whose fields may be of odd types: those that do not fit are left out.

    Returns the struct and the names of the fields left out (to be named in a report). `defaults` stand in for
    required fields. Raises msgspec.ValidationError where a required field is missing or wrong.
    """
    try:
        return convert(value, into), []
    except msgspec.ValidationError:
        if not isinstance(value, dict):
            raise
    kept, lost = dict(defaults or {}), []
    for field in fields(into):
        if field.encode_name not in value:
            continue
        try:
            convert(value[field.encode_name], field.type)
        except msgspec.ValidationError:
            lost.append(field.encode_name)
        else:
            kept[field.encode_name] = value[field.encode_name]
    tag = into.__struct_config__.tag
    tag_field = into.__struct_config__.tag_field
    if tag is not None and tag_field is not None:
        kept[tag_field] = tag
    return convert(kept, into), lost


def dumps(value: Any, fallback: Callable[[Any], bytes] | None = None) -> bytes:
    """JSON bytes without line breaks. Lone surrogates come out as `\\udXXX` escapes, so nothing is lost."""
    try:
        return encode_any(value)
    except UnicodeEncodeError:
        pass
    return escaped(value) if fallback is None else fallback(value)


def pretty(value: Any) -> bytes:
    """`dumps` for people: over many lines, indented by two."""
    text = dumps(value)
    try:
        return msgspec.json.format(text, indent=2)
    except msgspec.DecodeError:  # it takes no lone surrogates, not even as escapes
        import json

        return json.dumps(json.loads(text), ensure_ascii=True, indent=2).encode("ascii")


def escaped(value: Any) -> bytes:
    """JSON bytes in pure ASCII: the only form that can carry a lone surrogate."""
    import json

    plain = msgspec.to_builtins(value)
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def has_lone_surrogate(text: str) -> bool:
    """Whether a string cannot be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


_LONE: Final = regex(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""In JSON text in ASCII: an escaped backslash or a pair, which stay, or (the group) half a pair."""


def without_lone_surrogates(value: JsonValue) -> JsonValue:
    """The same JSON value with each lone surrogate as U+FFFD: what may be written to a strict reader (Codex).

    Two halves that stand side by side are one character, and become it. By way of the text, and not from value to
    value: what could be read is never nested too deeply for it.
    """
    try:
        encode_any(value)
    except UnicodeEncodeError:
        pass
    else:
        return value
    import json

    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return json.loads(_LONE.sub(lambda found: "\\ufffd" if found[1] else found[0], text))
