"""The real clients as an instrument: resume a session in them, offline, and see what reaches the model.

    codex = Codex(installed.find("codex"))
    probe = codex.resume(path)                      a file, in a home of its own
    probe = codex.go_on(sid, home=..., cwd=...)     a session that already lies in a home

README.md here is the manual.
"""

from tests.clients.claude import Claude
from tests.clients.codex import Codex
from tests.clients.probe import PROMPT, Probe, Ran, Row

__all__ = ["PROMPT", "Claude", "Codex", "Probe", "Ran", "Row"]
