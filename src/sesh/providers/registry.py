"""Which providers there are: the two built in, and whatever an installed package adds by entry point `sesh.providers`.

Every list of provider names (help, completion, docs, matrix) comes from here. The built-in two are found without a
look at installed packages, because that look costs more than a small conversion.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from sesh.errors import SeshError, UnknownProvider
from sesh.providers.api import Provider

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

GROUP: Final = "sesh.providers"
_BUILT_IN: Final = {
    "claude-code": "sesh.providers.claude_code",
    "codex": "sesh.providers.codex",
}
CANONICAL: Final = "canonical"
"""sesh's own form: a format to convert from and to, but no client, so it is not among `names`."""


@cache
def get(name: str) -> Provider:
    """The provider of that name. Raises UnknownProvider, or SeshError where a plug-in does not import."""
    module = "sesh.providers.canonical" if name == CANONICAL else _BUILT_IN.get(name)
    if module is not None:
        provider: Provider = import_module(module).PROVIDER
        return provider
    for entry in _entry_points():
        if entry.name == name:
            return _load(entry)
    raise UnknownProvider(f"There is no provider named {name!r}.", hint=f"Known: {', '.join(names())}.")


@cache
def names() -> tuple[str, ...]:
    """All provider names, the built-in ones first."""
    return (*_BUILT_IN, *sorted({e.name for e in _entry_points()} - _BUILT_IN.keys()))


def formats() -> tuple[str, ...]:
    """What a session can be converted to: every provider, and the canonical form."""
    return (*names(), CANONICAL)


def every() -> list[Provider]:
    """All providers."""
    return [get(n) for n in names()]


def built_in() -> list[Provider]:
    """The two providers that need no look at installed packages."""
    return [get(n) for n in _BUILT_IN]


def package_of(name: str) -> str:
    """The package that brings a provider: `sesh-cli` for the built-in ones."""
    if is_built_in(name):
        return "sesh-cli"
    entry = next((e for e in _entry_points() if e.name == name), None)
    return entry.dist.name if entry is not None and entry.dist is not None else "unknown"


def is_built_in(name: str) -> bool:
    """Whether a name is known without a look at installed packages; the canonical form is."""
    return name in _BUILT_IN or name == CANONICAL


def _entry_points() -> EntryPoints:
    from importlib.metadata import entry_points  # late: it costs more than a small conversion

    return entry_points(group=GROUP)


def _load(entry: EntryPoint) -> Provider:
    package = entry.dist.name if entry.dist is not None else entry.value
    try:
        provider = entry.load()
    except Exception as e:
        raise SeshError(
            f"The provider {entry.name!r} of the package {package} does not import: {e}.",
            hint=f"Update the package or remove it: pip uninstall {package}",
        ) from e
    if not isinstance(provider, Provider):
        raise SeshError(f"The provider {entry.name!r} of the package {package} is no sesh Provider.")
    return provider
