"""The list's cache: a file that did not change is not opened; a cache that is no good is the same as none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sesh.catalog import cards
from sesh.catalog.cards import CardCache
from sesh.files.scan import newest_files, scan
from sesh.providers import registry
from tests.sessions import CORPUS

CODEX = registry.get("codex")


def listed(home: Path, cache: CardCache) -> list[str | None]:
    """The prompts of the cards."""
    return [cache.card(CODEX, f).prompt for f in newest_files(scan(CODEX, home))]


def test_only_what_changed_is_opened(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "cache/cards"
    shutil.copytree(CORPUS / "codex/trees/app-fork-review-archive", home)
    first = CardCache(file)
    prompts = listed(home, first)
    first.save()
    assert first.opened == 4
    second = CardCache(file)
    assert listed(home, second) == prompts
    assert second.opened == 0
    changed = next(home.rglob("*01a22d3c-5135*"))
    os.utime(changed, (1, 1))
    third = CardCache(file)
    listed(home, third)
    assert third.opened == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "cache/cards"
    shutil.copytree(CORPUS / "codex/trees/legacy-continued", home)
    cache = CardCache(file)
    listed(home, cache)
    cache.save()
    assert [p.stat().st_mode & 0o777 for p in (file.parent, file)] == [0o700, 0o600]


def test_a_cache_of_another_kind_is_none(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    home, file = tmp_path / "home", tmp_path / "cards"
    shutil.copytree(CORPUS / "codex/trees/legacy-continued", home)
    kept = CardCache(file)
    listed(home, kept)
    kept.save()
    monkeypatch.setattr(cards, "LAYOUT", cards.LAYOUT + 1)
    for content in (file.read_bytes(), b"", b"\xff rubbish", file.read_bytes()[:-9]):
        file.write_bytes(content)
        cache = CardCache(file)
        assert listed(home, cache) == ["USER legacy"]
        assert cache.opened == 1


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(CORPUS / "codex/trees/legacy-continued", home)
    (tmp_path / "file").write_text("")
    cache = CardCache(tmp_path / "file" / "below" / "cards")
    listed(home, cache)
    cache.save()


def test_a_run_that_saw_only_some_keeps_the_others(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "cards"
    shutil.copytree(CORPUS / "codex/trees/app-fork-review-archive", home)
    first = CardCache(file)
    listed(home, first)
    first.save()
    one = CardCache(file)
    found = newest_files(scan(CODEX, home))[0]
    os.utime(found.path, (1, 1))
    one.card(CODEX, next(f for f in scan(CODEX, home) if f.key == found.key))
    one.save()
    after = CardCache(file)
    listed(home, after)
    assert after.opened == 0


def test_turns_of_a_long_session_are_counted_once(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "cards"
    rollout = home / "sessions/2026/11/20/rollout-2026-11-20T10-00-00-01a1f866-0d00-7226-b63c-5ab791b7584a.jsonl"
    rollout.parent.mkdir(parents=True)
    said = b'{"timestamp":"T","type":"event_msg","payload":{"type":"user_message","message":"hello"}}\n'
    rollout.write_bytes(b'{"timestamp":"T","type":"session_meta","payload":{"id":"x","cwd":"/w"}}\n' + said * 2000)
    (found,) = scan(CODEX, home)
    cache = CardCache(file)
    assert cache.card(CODEX, found).turns is None
    assert cache.card(CODEX, found, thorough=True).turns == 2000
    cache.save()
    again = CardCache(file)
    assert again.card(CODEX, found).turns == 2000
    assert again.opened == 0


def test_sessions_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "cards"
    shutil.copytree(CORPUS / "codex/trees/app-fork-review-archive", home)
    first = CardCache(file)
    listed(home, first)
    first.save()
    size = file.stat().st_size
    for path in sorted(home.rglob("rollout*.jsonl"))[:2]:
        path.unlink()
    os.utime(next(home.rglob("rollout*.jsonl")), (1, 1))
    second = CardCache(file)
    listed(home, second)
    second.save()
    assert file.stat().st_size < size
