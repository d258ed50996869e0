"""The real Codex: list, read, resume and start sessions in a private CODEX_HOME, with a scripted model."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.clients import placing
from tests.clients.installed import Installed
from tests.clients.job import Call, Command, Job, Rpc, Screens, perform
from tests.clients.probe import PROMPT, Probe, Ran
from tests.clients.sent import codex_rows, without_prompt

UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ROLLOUT: Final = re.compile(r"rollout-(\d{4})-(\d\d)-(\d\d)T\d\d-\d\d-\d\d-")
_PROVIDER: Final = re.compile(rb'"model_provider(?:_id)?"\s*:\s*"([A-Za-z0-9_-]+)"')
_EXEC: Final = ("exec", "--skip-git-repo-check")
MODEL: Final = "gpt-5.5"


@dataclass(frozen=True, kw_only=True)
class Codex:
    """Codex as installed. `scratch`: the folder in which homes are made that no caller named."""

    installed: Installed
    scratch: Path

    def home(self) -> Path:
        """A new, empty CODEX_HOME."""
        return Path(tempfile.mkdtemp(prefix="codex-home-", dir=self.scratch))

    def folder(self) -> Path:
        """A new, empty project folder."""
        return Path(tempfile.mkdtemp(prefix="proj-", dir=self.scratch)).resolve()

    def resume(self, path: Path, *, script: Sequence[Any] = (), prompt: str = PROMPT) -> Probe:
        """Resume a rollout file in a home of its own.

        A file that lies in a `sessions` tree brings the whole tree along, because forks and segments need it. A name
        that is no rollout's gets one that bears the id from its first line.
        """
        home = self.home()
        target = _placed(path, home)
        sid = UUID.findall(target.name.removesuffix(".zst"))[0]
        provider = _provider_of(path.read_bytes())
        return self.go_on(sid, home=home, cwd=self.folder(), script=script, prompt=prompt, provider=provider)

    def go_on(
        self,
        session_id: str,
        *,
        home: Path,
        cwd: Path,
        script: Sequence[Any] = (),
        prompt: str = PROMPT,
        provider: str = "openai",
    ) -> Probe:
        """List and read a session that lies in `home`, then resume it there with one prompt.

        `script`: the model's answers (responses_api.py). `provider`: the model provider the user has configured.
        """
        target = self.file_of(session_id, home)
        before = target.read_bytes()
        calls = [
            Call(method="thread/list", params={"limit": 100}),
            Call(method="thread/resume", params={"threadId": session_id}),
            Call(method="thread/read", params={"threadId": session_id, "includeTurns": True}),
        ]
        resume = Command(args=[*_EXEC, "resume", session_id, prompt])
        done = self._perform([Rpc(calls=calls), resume], home=home, cwd=cwd, script=script, provider=provider)
        listing, _, read = done["steps"][0]["answers"]
        rows = {r.get("id"): r for r in listing.get("data", [])}
        turns = (read.get("thread") or {}).get("turns") or []
        ran = _ran(done, 1)
        last = ran.bodies[-1] if ran.bodies else {}
        sent, context = codex_rows(last.get("input") or [])
        target = self.file_of(session_id, home)  # a compressed one is plain now
        after = target.read_bytes()
        if target.suffix != ".zst" and not after.startswith(before[:1]):
            before = b""  # it was compressed: its own bytes are not what to compare with
        return Probe(
            id=session_id,
            path=target,
            rc=ran.rc,
            stderr=ran.stderr[-2000:],
            resumed=bool(ran.bodies) and after != before,
            model=last.get("model"),
            sent=without_prompt(sent, prompt),
            context=context,
            prefix_kept=after.startswith(before),
            appended=after[len(before) :].count(b"\n"),
            bodies=ran.bodies,
            listed=session_id in rows,
            preview=rows.get(session_id, {}).get("preview"),
            name=rows.get(session_id, {}).get("name"),
            turns=len(turns),
            shown=[i.get("type") for t in turns for i in t.get("items", [])],
            transcript=turns,
        )

    def start(self, prompt: str, *, home: Path, cwd: Path, script: Sequence[Any] = ()) -> str:
        """Begin a session, one prompt long; returns its id. `script`: the model's answers."""
        known = {p.name for p in home.glob("sessions/**/rollout-*.jsonl")}
        ran = self.run(*_EXEC, prompt, home=home, cwd=cwd, script=script)
        new = [p for p in home.glob("sessions/**/rollout-*.jsonl") if p.name not in known]
        assert ran.rc == 0 and len(new) == 1, ran.said
        return UUID.findall(new[0].name)[0]

    def run(
        self,
        *args: str,
        home: Path,
        cwd: Path,
        script: Sequence[Any] = (),
        interrupt_at: int | None = None,
        provider: str = "openai",
    ) -> Ran:
        """Run the program with these arguments. `interrupt_at`: SIGINT after this many model requests."""
        command = Command(args=args, interrupt_at=interrupt_at)
        return _ran(self._perform([command], home=home, cwd=cwd, script=script, provider=provider), 0)

    def rpc(
        self, *calls: Call, home: Path, cwd: Path, script: Sequence[Any] = (), provider: str = "openai"
    ) -> list[Any]:
        """Calls to one app server, e.g. Call(method="thread/fork", params={...}); returns the answers."""
        done = self._perform([Rpc(calls=calls)], home=home, cwd=cwd, script=script, provider=provider)
        answers: list[Any] = done["steps"][0]["answers"]
        return answers

    def screens(self, *args: str, until: str, keys: Sequence[tuple[str, str]] = (), home: Path, cwd: Path) -> list[str]:
        """What the program's screen shows, at first and after each key, once the words named with it are there."""
        done = self._perform(
            [Screens(args=args, until=until, keys=keys)], home=home, cwd=cwd, script=(), provider="openai"
        )
        shown: list[str] = done["steps"][0]["screens"]
        return shown

    def file_of(self, session_id: str, home: Path) -> Path:
        """The session's newest file in a home (a thread that was reverted has several)."""
        # Only where rollouts are: the client makes and removes folders of its own beside them while it runs.
        folders = [home / "sessions", home / "archived_sessions"]
        files = [p for folder in folders for p in folder.glob(f"**/rollout-*{session_id}*.jsonl*")]
        found = [p for p in files if p.suffix in (".jsonl", ".zst")]
        assert found, f"no rollout of {session_id} under {home}"
        plain = [p for p in found if p.suffix == ".jsonl"]
        return max(plain or found, key=lambda p: p.name)

    def _perform(
        self, steps: Sequence[Command | Rpc | Screens], *, home: Path, cwd: Path, script: Sequence[Any], provider: str
    ) -> dict[str, Any]:
        home.mkdir(parents=True, exist_ok=True)
        (home / "auth.json").write_text(json.dumps({"OPENAI_API_KEY": "sk-fake"}))
        return perform(
            Job(
                client="codex",
                program=self.installed.command,
                cwd=str(cwd),
                env={
                    "PATH": "/usr/local/bin:/usr/bin:/bin",
                    "HOME": str(home.parent),
                    "CODEX_HOME": str(home),
                    "MOCK_KEY": "sk-fake",
                    "HTTPS_PROXY": "http://127.0.0.1:9",  # nobody is there: refused at once, not looked up for 5 s
                    "TERM": "xterm-256color",
                    "LANG": "C.UTF-8",
                    "TZ": "UTC",
                    "RUST_LOG": "error",
                },
                files={str(home / "config.toml"): _config(cwd, provider)},
                script=list(script),
                steps=steps,
            )
        )


def _ran(done: Mapping[str, Any], step: int) -> Ran:
    outcome = done["steps"][step]
    requests = done["requests"][outcome["first"] : outcome["last"]]
    bodies = [r["body"] for r in requests if r["kind"] == "main"]
    return Ran(rc=outcome["rc"], stdout=outcome["stdout"], stderr=outcome["stderr"], bodies=bodies)


def _config(cwd: Path, provider: str) -> str:
    """config.toml of a user who has this provider; `{port}` is the scripted model's.

    Without a network, 0.169 waits five seconds at its end for its analytics, unless they are off.
    """
    own = f'''
model_provider = "{provider}"
[model_providers.{provider}]
name = "{provider}"
base_url = "http://127.0.0.1:{{port}}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
'''
    return f'''
model = "{MODEL}"
openai_base_url = "http://127.0.0.1:{{port}}/v1"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
{"" if provider == "openai" else own}
[analytics]
enabled = false
[features]
daemon_auto_start = false
[projects."{cwd}"]
trust_level = "trusted"
'''


def _placed(path: Path, home: Path) -> Path:
    parts = path.absolute().parts
    at = next((i for i, part in enumerate(parts) if part in ("sessions", "archived_sessions")), None)
    if at is not None:
        root = Path(*parts[:at])
        for file in [p for d in ("sessions", "archived_sessions") for p in (root / d).rglob("*") if p.is_file()]:
            placing.copy(file, home / file.relative_to(root))
        return home.joinpath(*parts[at:])
    named = _ROLLOUT.match(path.name)
    if named:
        return placing.copy(path, home / "sessions" / "/".join(named.groups()) / path.name)
    first = json.loads(path.read_bytes().split(b"\n", 1)[0])
    sid = first.get("payload", first).get("id")
    return placing.copy(path, home / "sessions/2026/11/20" / f"rollout-2026-11-20T10-00-00-{sid}.jsonl")


def _provider_of(data: bytes) -> str:
    """The model provider a rollout names last: what its user has configured; openai where it names none."""
    found = _PROVIDER.findall(data)
    return found[-1].decode() if found else "openai"
