"""The six laws for every built-in provider, over generated conversations and over every file of the corpus.

Law 5 (the origin's bytes are never touched) is about files, and stands with the handoff.
"""

from __future__ import annotations

from pathlib import Path

from tests.sessions import every_file

from sesh.providers import registry
from sesh.testing.provider_suite import ProviderSuite

_FILES = list(every_file())
_V1 = Path(__file__).parents[1] / "formats" / "v1"


class TestClaudeCode(ProviderSuite):
    provider = registry.get("claude-code")
    samples = tuple(path for name, path in _FILES if name == "claude-code")


class TestCodex(ProviderSuite):
    provider = registry.get("codex")
    samples = tuple(path for name, path in _FILES if name == "codex")


class TestCanonical(ProviderSuite):
    provider = registry.get("canonical")
    samples = tuple(
        _V1 / name for name in ("every-field.jsonl", "json-traps.jsonl", "seeds-only.jsonl", "strangers.jsonl")
    )
