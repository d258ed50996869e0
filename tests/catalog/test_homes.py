"""Where sesh's own folders are."""

from __future__ import annotations

import sys
from pathlib import Path

import platformdirs
import pytest

from sesh.catalog.homes import platform_folder, sesh_cache, sesh_home

KINDS = ("config", "data", "cache")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("named", [None, "", "  ", "/elsewhere", "/else where/", "relative", "~/x"])
def test_the_short_rule_is_the_one_of_platformdirs(
    kind: str, named: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"XDG_{kind.upper()}_HOME"
    monkeypatch.delenv(variable, raising=False)
    if named is not None:
        monkeypatch.setenv(variable, named)
    environment = {} if named is None else {variable: named}
    expected = getattr(platformdirs, f"user_{kind}_path")("sesh", appauthor=False)
    assert platform_folder(kind, environment) == expected  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform != "linux", reason="the short rule is Linux's")
def test_on_linux_it_goes_by_the_environment_it_is_given() -> None:
    assert platform_folder("cache", {"XDG_CACHE_HOME": "/there"}) == Path("/there/sesh")


def test_its_own_variable_comes_first() -> None:
    environment = {"SESH_HOME": "/own", "XDG_DATA_HOME": "/data", "XDG_CACHE_HOME": "/cache"}
    assert (sesh_home(environment), sesh_cache(environment)) == (Path("/own"), Path("/own/cache"))
