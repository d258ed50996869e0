"""The example of docs/how-to/add-a-provider.md keeps the laws, and works on the command line once it is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from sesh.providers import registry
from sesh.testing.provider_suite import ProviderSuite
from tests.cli.conftest import CLAUDE, Sesh, demo_home, sesh

__all__ = ["demo_home", "sesh"]

EXAMPLE = Path(__file__).parents[2] / "docs/examples/scribe"
sys.path.insert(0, str(EXAMPLE))

from scribe_for_sesh import PROVIDER  # noqa: E402  # it is installed by the line above


@pytest.fixture
def few_examples() -> Iterator[None]:
    """The suite itself is proven elsewhere; here a handful of conversations says whether the example still holds."""
    before = settings.get_current_profile_name()
    settings.register_profile("few", settings.get_profile(before), max_examples=8)
    settings.load_profile("few")
    yield
    settings.load_profile(before)


@pytest.mark.usefixtures("few_examples")
class TestScribe(ProviderSuite):
    provider = PROVIDER
    samples = sorted((EXAMPLE / "samples").glob("*.log"))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As `pip install` would leave it: what counts is the entry point."""
    info = tmp_path / "scribe_for_sesh-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scribe-for-sesh\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sesh.providers]\nscribe = scribe_for_sesh:PROVIDER\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry.names.cache_clear()
    registry.get.cache_clear()
    yield
    registry.names.cache_clear()
    registry.get.cache_clear()


@pytest.mark.usefixtures("installed")
def test_every_command_knows_it(sesh: Sesh, demo_home: Path) -> None:
    made = sesh("handoff", "7c9e6a54", "--to", "scribe", "--json").json
    assert made["resume"]["arguments"][:2] == ["scribe", "--continue"]
    assert Path(made["path"]).parent == demo_home / ".scribe/logs"
    listed = {s["provider"]: s for s in sesh("list", "--json").json["sessions"]}
    assert listed["scribe"]["title"] == listed["claude-code"]["title"]
    found = sesh("search", "pages", "--provider", "scribe", "--json").json["results"]
    assert [r["sessionId"] for r in found] == [made["sessionId"]]
    shown = sesh("show", f"scribe:{made['sessionId']}").out
    assert "> The last page of the harvest report is always empty." in shown
    assert "sub-agent: Search" in shown
    back = sesh("convert", made["path"], "--to", "claude-code", "--tools", "keep", "--json").json
    there = sesh("convert", CLAUDE, "--to", "scribe", "--json").json
    assert back["report"]["written"]["blocks"] == there["report"]["written"]["written"]
