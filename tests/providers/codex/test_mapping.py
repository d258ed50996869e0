"""MAPPING.md says what the code does: its tables against the code, and against every recorded rollout."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

import sesh.providers.codex
from sesh.providers.codex import kinds, showing, witness
from sesh.providers.codex.records import Enveloped
from tests.providers.codex.rollouts import event, item, read, told, user
from tests.sessions import CORPUS

PAGE = Path(sesh.providers.codex.__file__).parent / "MAPPING.md"
TABLES = ("Lines", "Response items", "Events", "Items of item_completed", "Content parts", "User texts")


@cache
def tables() -> dict[str, dict[str, tuple[str, str]]]:
    """Each section's table: the kind, what becomes of it, since when."""
    found: dict[str, dict[str, tuple[str, str]]] = {name: {} for name in TABLES}
    section = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        cells = [c.strip() for c in line.strip("|").split("|")] if line.startswith("| `") else []
        if len(cells) == 3:
            name = cells[0].strip("`")
            assert name not in found[section], name
            found[section][name] = (cells[1], cells[2])
    return found


def test_lines() -> None:
    tags = {struct.__struct_config__.tag for struct in get_args(Enveloped)}
    assert set(tables()["Lines"]) == tags


@pytest.mark.parametrize("kind", sorted(tables()["Response items"]))
def test_response_items(kind: str) -> None:
    """Every kind of the table is known; what the table calls skipped is skipped."""
    fields = {"role": "user", "content": [], "name": "x", "arguments": "{}", "input": "x", "call_id": "c"}
    result = read(user("x"), item(kind, **fields))
    assert result.report.unknown == 0
    fate = tables()["Response items"][kind][0]
    assert result.report.skipped == ({kind: 1} if fate == "skipped" else {})


def test_an_item_that_the_table_does_not_name_is_unknown() -> None:
    assert read(user("x"), item("not_in_the_table")).report.unknown == 1


@pytest.mark.parametrize("kind", sorted(set(tables()["Events"]) - {"item_completed"}))
def test_events(kind: str) -> None:
    """Every kind of the table is known; those that may be a witness are one when nothing else tells of them."""
    fate = tables()["Events"][kind][0]
    result = read(
        user("x"), event(kind, call_id="c", message="words", text="words", thread_name="n", num_turns=1), user()
    )
    assert result.report.unknown == 0
    assert (kind in showing.STATE_EVENTS) == (fate.split(" (")[0] == "skipped" and "ends" not in fate)
    witnesses = [m for m in result.messages if (m.provider_data or {}).get("line") == "event_msg"]
    assert bool(witnesses) == ("witness" in fate)


@pytest.mark.parametrize("kind", sorted(tables()["Items of item_completed"]))
def test_completed_items(kind: str) -> None:
    fate = tables()["Items of item_completed"][kind][0]
    parts = [{"type": "Text", "text": "words"}]
    result = read(user("x"), told(kind, id="i", text="words", content=parts, summary_text=["words"]), user())
    assert result.report.unknown == 0
    assert (kind in witness.STATE_ITEMS) == fate.startswith("skipped")
    witnesses = [m for m in result.messages if (m.provider_data or {}).get("line") == "event_msg"]
    assert bool(witnesses) == ("witness" in fate)


_PARTS = {
    "input_text": {"text": "t"},
    "output_text": {"text": "t"},
    "input_image": {"image_url": "https://example.com/a.png"},
    "encrypted_content": {"encrypted_content": "E"},
}


@pytest.mark.parametrize("kind", sorted(tables()["Content parts"]))
def test_parts(kind: str) -> None:
    block = read(item("message", role="user", content=[{"type": kind, **_PARTS[kind]}])).messages[0].content[0]
    assert block.__struct_config__.tag == tables()["Content parts"][kind][0]


def test_user_texts() -> None:
    page = {k: fate.strip("`") for k, (fate, _) in tables()["User texts"].items()}
    agents = page.pop("# AGENTS.md instructions for …")
    assert agents == "context"
    assert {k for k, fate in page.items() if fate == "notice"} == {f"<{t}>" for t in kinds.NOTICE_TAGS}
    assert {k for k, fate in page.items() if fate == "context"} == {f"<{t}>" for t in kinds.CONTEXT_TAGS}


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in text.split("."))


@cache
def recorded() -> dict[tuple[str, str], str]:
    """(section, kind) of all that the client itself wrote in the corpus, and the first version it stands in."""
    first: dict[tuple[str, str], str] = {}
    folder = CORPUS / "codex"
    for path in sorted(folder.glob("[0-9]*/*.jsonl")):
        version = path.parent.name
        if "-" in version or path.name.startswith(("synthetic", "legacy-continued")):
            continue
        for line in path.read_bytes().split(b"\n"):
            for found in _kinds(json.loads(line)) if line.strip() else ():
                if found not in first or _version(version) < _version(first[found]):
                    first[found] = version
    return first


def _kinds(line: dict[str, Any]) -> list[tuple[str, str]]:
    payload = line.get("payload")
    if payload is None:
        payload, found = line, []
        if line.get("type") is None:
            return []
        found.append(("Response items", line["type"]))
    else:
        found = [("Lines", line["type"])]
        if line["type"] == "response_item":
            found.append(("Response items", payload["type"]))
        if line["type"] == "event_msg":
            found.append(("Events", payload["type"]))
            if payload["type"] == "item_completed":
                found.append(("Items of item_completed", payload["item"]["type"]))
    content = payload.get("content")
    if payload.get("type") == "message" and isinstance(content, list):
        found += [("Content parts", part["type"]) for part in content]
        texts = [part.get("text", "") for part in content if payload.get("role") == "user"]
        found += [("User texts", f"<{m[1]}>") for t in texts if (m := re.match(r"<([a-z_ ]+)>", t))]
    return found


def test_every_recorded_kind_has_its_row() -> None:
    rows = {(section, kind) for section, table in tables().items() for kind in table}
    assert set(recorded()) <= rows


def test_no_kind_is_older_than_its_row_says() -> None:
    for (section, kind), version in recorded().items():
        since = tables()[section][kind][1]
        assert re.match(r"\d", since), (section, kind, version)
        assert _version(since.split()[0]) <= _version(version), (section, kind, version)
