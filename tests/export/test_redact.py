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
    "OpenRouter": "sk" + "-or-v1-" + "0a1b" * 16,
    "OpenAI, service": "sk" + "-svcacct-" + "aB3" * 20,
    "xAI": "xa" + "i-" + "aB3" * 27,
    "Groq": "gs" + "k_" + "aB3d" * 13,
    "Hugging Face": "h" + "f_" + "aB" * 17,
    "Google OAuth": "ya" + "29." + "aB3_" * 25,
    "Google client secret": "GOC" + "SPX-" + "aB3d" * 7,
    "GitLab": "gl" + "pat-" + "aB3d" * 5,
    "Slack app": "xa" + "pp-1-A01-123456-" + "0a1b" * 16,
    "Slack cookie": "xo" + "xd-" + "aB%2" * 9,
    "Discord": "https://discord.com/api" + "/webhooks/123456/" + "aB3_" * 17,
    "Stripe, test": "sk" + "_test_" + "aB3d" * 6,
    "Stripe webhook": "wh" + "sec_" + "aB3d" * 8,
    "npm": "np" + "m_" + "aB3d" * 9,
    "Docker": "dckr" + "_pat_" + "aB3d" * 7,
    "DigitalOcean": "do" + "p_v1_" + "0a1b" * 16,
    "Notion": "nt" + "n_" + "aB3d" * 12,
    "Vault": "hv" + "s." + "aB3d" * 23,
    "Databricks": "da" + "pi" + "0a1b" * 8,
    "Grafana": "gl" + "sa_" + "aB3d" * 8 + "_0a1b2c3d",
    "Supabase": "sb" + "_secret_" + "aB3d" * 8,
    "Azure client secret": "abc8Q" + "~" + "aB3d" * 9,
    "Tailscale": "ts" + "key-auth-aB3d-" + "aB3d" * 8,
    "Atlassian": "ATA" + "TT3" + "aB3d" * 40,
    "age": "AGE-SECRET" + "-KEY-1" + "A2" * 29,
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
    [
        "API_KEY=Zx81kLmQ92",
        r"{\"api_key\": \"Zx81kLmQ92\"}",
        "DB_PASSWORD='pa$$w0rd!xyz'",
        "SECRET_KEY = 'django-insecure-#x(y)&z^1'",
        "tool --token Zx81kLmQ92ab",
        "DB_PASS=Zx81kLmQ92",
        "//npm.example.org/:_authToken=Zx81kLmQ92",
        "PrivateKey = Zx81kLmQ92Zx81kLmQ92=",
        "password: 'hunter2hunter'",
        '"client_secret": "9f8e7d6c5b"',
        "DB_PASSWORD = tr0ub4dor&3",
    ],
)
def test_a_value_that_is_called_a_secret(line: str) -> None:
    removed: Counter[str] = Counter()
    assert "[redacted assigned secret]" in text(line, removed)
    assert removed == {"assigned secret": 1}


@pytest.mark.parametrize(
    ("line", "clean"),
    [
        ("redis://:s3cr3t@h:6379/0", "redis://:[redacted credentials in a URL]@h:6379/0"),
        ("https://ada:" + "hunter2@h/x.git", "https://ada:[redacted Basic Auth Credentials]@h/x.git"),
        ("https://h/x?sv=1&sig=aB3%2Fd4aB3d4aB3d4aB3d4%3D", "https://h/x?sv=1&sig=[redacted signature in a URL]"),
        ("Authorization: Basic QWRhOmh1bnRlcjI=", "Authorization: Basic [redacted authorization header]"),
        ("authorization: token 0a1b2c3d4e5f", "authorization: token [redacted authorization header]"),
        ("Set-Cookie: sid=aB3d4aB3d4; HttpOnly", "Set-Cookie: [redacted cookie]"),
        ("curl -s -u ada:hunter2 https://h", "curl -s -u ada:[redacted password] https://h"),
        ("sshpass -p hunter2 ssh h", "sshpass -p [redacted password] ssh h"),
        ("mysql -uroot -phunter2 db", "mysql -uroot -p[redacted password] db"),
        ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted password] psql"),
        ("machine h login ada password hunter2", "machine h login ada password [redacted password]"),
    ],
)
def test_where_a_secret_stands_tells_it(line: str, clean: str) -> None:
    assert text(line, Counter()) == clean


@pytest.mark.parametrize(
    "line",
    [
        "task-management-with-a-long-name-that-goes-on",
        "desk-booking-application-service-frontend-v2",
        "sk-learn sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "hf_hub_download npm_config_registry key_bindings",
        "the bearer authentication_middleware_class",
        'secret: "your-secret-here"',
        '"password": "Your password"',
        "token: 1234567890",
        "--password-stdin",
        "api_key: process.env.OPENAI_API_KEY",
        "--token $GITHUB_TOKEN_OF_CI",
        "git@github.com:x/y.git",
        "Co-Authored-By: Claude <noreply@anthropic.com>",
        "logo@2x.png getty@tty1.service lodash@4.17.21.tgz",
        "docker run -p 8080:80 -u 1000:1000 image",
        "postgres://localhost:5432/db postgres://user@db/x",
        "set-cookie parsing; Cookie: none",
        "integrity sha512-abcdEFGH0123456789abcdEFGH0123456789abcdEFGH0123456789==",
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
        ("/mnt/c/Users/ada/x", "/mnt/c/Users/user/x"),
        ("/var/home/ada/x", "/var/home/user/x"),
        ("\\\\wsl$\\Ubuntu\\home\\ada\\x", "\\\\wsl$\\Ubuntu\\home\\user\\x"),
        ("file:///home/ada/x", "file:///home/user/x"),
        ("vscode://file%2Fhome%2Fada%2Fx", "vscode://file%2Fhome%2Fuser%2Fx"),
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
