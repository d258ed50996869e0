"""MAPPING.md says what the code does: its tables against the code, and against every recorded session."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import sesh.providers.claude_code
from sesh.providers.claude_code.content import BLOCK_TYPES
from sesh.providers.claude_code.kinds import INTERRUPTS, TAGS, kind_of
from sesh.providers.claude_code.records import ATTACHED_STATE, CARRYING, FACTS, QUEUED, STATE, SYSTEM_STATE, Kind
from sesh.providers.claude_code.tree import BOUNDARY
from tests.corpus_files import CLAUDE

PAGE = Path(sesh.providers.claude_code.__file__).parent / "MAPPING.md"


@cache
def tables() -> dict[str, dict[str, tuple[str, str]]]:
    """Each section's table: the kind, what becomes of it, since when."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    section = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        cells = [c.strip() for c in line.strip("|").split("|")] if line.startswith("| `") else []
        if len(cells) == 3:
            name = re.sub(r"`", "", cells[0])
            assert name not in found.setdefault(section, {}), name
            found[section][name] = (cells[1], cells[2])
    return found


@cache
def corpus_lines() -> list[tuple[str, dict[str, Any]]]:
    """Every line of every recorded file, with its client's version."""
    found = []
    for path in sorted(CLAUDE.rglob("*.jsonl")):
        version = path.relative_to(CLAUDE).parts[0].split("-")[0]
        found += [(version, json.loads(line)) for line in path.read_bytes().split(b"\n") if line]
    return found


def test_line_kinds() -> None:
    known = set(get_args(Kind)) - {"fact", "state", "unknown", "unreadable"} | FACTS | STATE
    assert set(tables()["Line kinds"]) == known
    skipped = {k for k, (fate, _) in tables()["Line kinds"].items() if fate.endswith("skipped")}
    assert skipped == STATE | {"last-prompt", "progress", "queue-operation"}


def test_blocks() -> None:
    assert set(tables()["Blocks"]) == BLOCK_TYPES


def test_attachments() -> None:
    carrying = {k for k, (fate, _) in tables()["Attachment types"].items() if fate != "skipped"}
    assert carrying == CARRYING | {QUEUED}
    assert set(tables()["Attachment types"]) - carrying == ATTACHED_STATE


def test_system_subtypes() -> None:
    told = {k for k, (fate, _) in tables()["System subtypes"].items() if fate != "skipped"}
    assert told == {BOUNDARY, "local_command"}
    assert set(tables()["System subtypes"]) - told == SYSTEM_STATE


def test_user_texts() -> None:
    page = tables()["User texts"]
    assert set(page) == {f"<{tag}>" for tag in TAGS} | INTERRUPTS
    for tag, known in TAGS.items():
        fate, said_since = page[f"<{tag}>"]
        assert said_since == known.since
        assert fate.startswith(f"`{kind_of(known.voice)}`"), tag


def seen() -> dict[tuple[str, str], set[str]]:
    """(section, kind) of all that stands in the corpus, and the versions it stands in."""
    found: dict[tuple[str, str], set[str]] = {}
    for version, line in corpus_lines():
        kinds = [("Line kinds", line["type"])]
        if line["type"] == "system":
            kinds.append(("System subtypes", line["subtype"]))
        if line["type"] == "attachment":
            kinds.append(("Attachment types", line["attachment"]["type"]))
        content = (line.get("message") or {}).get("content")
        kinds += [("Blocks", b["type"]) for b in content or [] if isinstance(content, list)]
        if line["type"] == "user" and isinstance(content, str) and (tag := re.match(r"<([a-z-]+)>", content)):
            kinds.append(("User texts", f"<{tag.group(1)}>"))
        for kind in kinds:
            found.setdefault(kind, set()).add(version)
    return found


OWN_WORDS = {"<pasted_content>"}


def test_all_that_was_recorded_is_listed_and_no_older_than_stated() -> None:
    for (section, kind), versions in seen().items():
        if kind in OWN_WORDS:
            continue
        assert kind in tables()[section], (section, kind)
        since = re.match(r"[\d.]+", tables()[section][kind][1])
        assert since is not None, kind
        for version in versions:
            assert number(version) >= number(since.group()), (kind, version)


def number(version: str) -> list[int]:
    return [int(n) for n in version.split(".") if n]
