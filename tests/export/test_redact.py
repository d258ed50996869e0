"""Redaction takes out what has the form of a secret, says so, and leaves the rest."""

from __future__ import annotations

from collections import Counter

import pytest

from sesh.export.redact import redact, text
from sesh.format import wire
from sesh.format.blocks import AttachmentBlock, TextBlock, ToolCallBlock
from sesh.format.message import Message
from sesh.format.thread import Thread
from sesh.providers.api import IngestResult
from sesh.report.reports import LineBook

# Made up here, in pieces, so that no scanner takes this file for a leak.
SECRETS = {
    "Anthropic key": "sk-" + "ant-api03-" + "A1b2C3d4E5f6G7h8",
    "GitHub Token": "ghp" + "_" + "a1B2" * 9,
    "GitHub token": "github" + "_pat_" + "A1" * 15,
    "OpenAI key": "sk-" + "proj-" + "Ab1" * 12,
    "AWS Access Key": "AK" + "IA" + "ABCDEFGHIJKLMNOP",
    "Slack Token": "xox" + "b-123456789012-" + "abcdefABCDEF1234",
    "JSON Web Token": "ey" + "JhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0" + ".c2lnbmF0dXJl",
    "Google API key": "AI" + "za" + "B" * 35,
    "private key": "-----BEGIN OPENSSH PRIVATE " + "KEY-----\nb3BlbnNz\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
    "e-mail address": "ada" + "@example.org",
}


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("around", ["{}", "key is {}.", 'x = "{}"', "({})\n"])
def test_forms_of_secrets_go_and_are_counted(kind: str, around: str) -> None:
    removed: Counter[str] = Counter()
    clean = text(around.format(SECRETS[kind]), removed)
    assert SECRETS[kind] not in clean
    assert sum(removed.values()) == 1
    assert "[redacted" in clean


@pytest.mark.parametrize(
    "line",
    ["API_KEY=Zx81kLmQ92", "password: 'hunter2hunter'", '"client_secret": "9f8e7d6c5b"', "DB_PASSWORD = tr0ub4dor&3"],
)
def test_a_value_that_is_called_a_secret(line: str) -> None:
    removed: Counter[str] = Counter()
    assert "[redacted assigned secret]" in text(line, removed)
    assert removed == {"assigned secret": 1}


@pytest.mark.parametrize(
    "line",
    [
        "token = get_token()",
        "max_tokens: 4096",
        "password = None",
        "api_key=os.environ",
        "tokenizer = AutoTokenizer",
        "secret: ********",
        "def token(self) -> str:",
        "user@host",
        "@decorator.name",
        "version 1.2.3-rc.4+build",
        "commit 4e1f0c2d3b5a69788796a5b4c3d2e1f00f1e2d3c",
        "/home/",
        "https://example.org/home/page",
    ],
)
def test_what_only_looks_like_one_stays(line: str) -> None:
    removed: Counter[str] = Counter()
    assert text(line, removed) == line
    assert not removed


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("/home/ada/x.py", "/home/user/x.py"),
        ("/Users/ada/Library", "/Users/user/Library"),
        ("C:\\Users\\Ada\\x", "C:\\Users\\user\\x"),
        ("/root/.ssh", "~/.ssh"),
        ("projects/-home-ada-orchard/7c", "projects/-home-user-orchard/7c"),
        ("/rooted/x", "/rooted/x"),
    ],
)
def test_home_folders_lose_their_names(path: str, clean: str) -> None:
    assert text(path, Counter()) == clean


def test_a_whole_conversation() -> None:
    token = SECRETS["GitHub Token"]
    image = "AKIA" + "A" * 40
    thread = Thread(
        id="t", created_at="", title=f"use {token}", metadata={"cwd": "/home/ada/x", "providerData": {"a": token}}
    )
    said = Message(
        id="m",
        thread_id="t",
        role="user",
        ts="",
        content=[
            TextBlock(text=f"my token is {token}", provider_data={"secret": token}),
            ToolCallBlock(call_id="c", name="Bash", input={"command": f"curl -H {token}", token: [token]}),
            AttachmentBlock(media_type="image/png", data=image),
        ],
        raw={"line": token},
        provider_data={"line": token},
    )
    clean = redact(IngestResult(thread=thread, messages=[said], children=[], report=LineBook().report()))
    written = b"".join(map(wire.encode, [clean.thread, *clean.messages])).decode()
    assert token not in written
    assert "/home/ada" not in written
    assert image in written
    assert clean.removed == {"GitHub Token": 5, "home folder": 1}
