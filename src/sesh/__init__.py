"""sesh moves a coding-agent conversation between clients with nothing lost.

The public names stand here and load on first use, so that `import sesh` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_NAMES = {
    # format
    "Thread": "sesh.format.thread",
    "Message": "sesh.format.message",
    "Usage": "sesh.format.message",
    "Provenance": "sesh.format.message",
    "AnyBlock": "sesh.format.blocks",
    "TextBlock": "sesh.format.blocks",
    "ReasoningBlock": "sesh.format.blocks",
    "ToolCallBlock": "sesh.format.blocks",
    "ToolResultBlock": "sesh.format.blocks",
    "FileChangeBlock": "sesh.format.blocks",
    "WebSearchBlock": "sesh.format.blocks",
    "AttachmentBlock": "sesh.format.blocks",
    "UnknownBlock": "sesh.format.blocks",
    # reports
    "IngestReport": "sesh.report.reports",
    "EmitReport": "sesh.report.reports",
    "Entry": "sesh.report.reports",
    # providers
    "SessionSource": "sesh.providers.api",
    "IngestResult": "sesh.providers.api",
    "IngestedThread": "sesh.providers.api",
    "EmitResult": "sesh.providers.api",
    "Provider": "sesh.providers.api",
    "parse_claude_session": "sesh.providers.claude_code.reader",
    "emit_claude_session": "sesh.providers.claude_code.writer",
    "parse_codex_rollout": "sesh.providers.codex.reader",
    "emit_codex_rollout": "sesh.providers.codex.writer",
    # errors
    "SeshError": "sesh.errors",
    "NotASession": "sesh.errors",
}

__all__ = ["__version__", *_NAMES]

if TYPE_CHECKING:
    from sesh.errors import NotASession as NotASession
    from sesh.errors import SeshError as SeshError
    from sesh.format.blocks import AnyBlock as AnyBlock
    from sesh.format.blocks import AttachmentBlock as AttachmentBlock
    from sesh.format.blocks import FileChangeBlock as FileChangeBlock
    from sesh.format.blocks import ReasoningBlock as ReasoningBlock
    from sesh.format.blocks import TextBlock as TextBlock
    from sesh.format.blocks import ToolCallBlock as ToolCallBlock
    from sesh.format.blocks import ToolResultBlock as ToolResultBlock
    from sesh.format.blocks import UnknownBlock as UnknownBlock
    from sesh.format.blocks import WebSearchBlock as WebSearchBlock
    from sesh.format.message import Message as Message
    from sesh.format.message import Provenance as Provenance
    from sesh.format.message import Usage as Usage
    from sesh.format.thread import Thread as Thread
    from sesh.providers.api import EmitResult as EmitResult
    from sesh.providers.api import IngestedThread as IngestedThread
    from sesh.providers.api import IngestResult as IngestResult
    from sesh.providers.api import Provider as Provider
    from sesh.providers.api import SessionSource as SessionSource
    from sesh.providers.claude_code.reader import parse_claude_session as parse_claude_session
    from sesh.providers.claude_code.writer import emit_claude_session as emit_claude_session
    from sesh.providers.codex.reader import parse_codex_rollout as parse_codex_rollout
    from sesh.providers.codex.writer import emit_codex_rollout as emit_codex_rollout
    from sesh.report.reports import EmitReport as EmitReport
    from sesh.report.reports import Entry as Entry
    from sesh.report.reports import IngestReport as IngestReport


def __getattr__(name: str) -> Any:
    module = _NAMES.get(name)
    if module is None:
        raise AttributeError(f"module 'sesh' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
