"""Other clients' tools as Claude Code's own, so that its screen shows them: names and arguments.

Plain unknown names are invisible on the screen of 2.1.328, also in its transcript view; `mcp__SERVER__TOOL` is drawn as
a call of that server (formats/claude-code.md §5). What has no equal here therefore goes under `mcp__codex__NAME`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from sesh.format.blocks import FileChangeBlock, ToolCallBlock, WebSearchBlock
from sesh.format.json import JsonObject, JsonValue
from sesh.providers.claude_code import tools_patch, tools_shell
from sesh.providers.claude_code.write_blocks import Call, Use, kept, tool_name

OWN: Final = frozenset(
    {
        "Agent",
        "AskUserQuestion",
        "Bash",
        "BashOutput",
        "Edit",
        "EnterPlanMode",
        "EnterWorktree",
        "ExitPlanMode",
        "ExitWorktree",
        "Glob",
        "Grep",
        "KillShell",
        "LS",
        "MultiEdit",
        "NotebookEdit",
        "NotebookRead",
        "Read",
        "SendMessage",
        "Skill",
        "SlashCommand",
        "Task",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskOutput",
        "TaskStop",
        "TaskUpdate",
        "TodoRead",
        "TodoWrite",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
        "Write",
        "CronCreate",
        "CronDelete",
        "CronList",
    }
)
"""Tools of Claude Code, 1.0 to 2.1.328: these keep their names."""
_STATUS: Final = frozenset({"pending", "in_progress", "completed"})


class Place(NamedTuple):
    """Where the calls were made.

    `cwd` is the session's folder, `was` the one it had in the other client; `origin` stands for that client's tools.
    """

    cwd: str
    origin: str
    was: str | None = None


def native(block: Call, place: Place) -> list[Use]:
    """A call as one or more calls of the client's own."""
    match block:
        case FileChangeBlock():
            found = [] if block.patch is None else tools_patch.edits(block.patch, place.cwd)
            return found or [_foreign(kept(block), place, None)]
        case WebSearchBlock():
            return [Use("WebSearch", {"query": block.query}, "as-call")]
        case ToolCallBlock():
            use = kept(block)
            if block.name in OWN or block.name.startswith("mcp__"):
                return [use]
            made = _equal(block.name, block.input, place)
            return [Use(*made, "renamed-tool") if made else _foreign(use, place, block)]


def _equal(name: str, given: JsonValue, place: Place) -> tuple[str, JsonObject] | None:
    """The tool here that does the same, with its arguments."""
    if name in tools_shell.RUNNERS:
        command = tools_shell.command_of(given, {place.cwd, place.was or place.cwd})
        return None if command is None else ("Bash", command)
    if not isinstance(given, dict):
        return None
    if name == "view_image" and isinstance(given.get("path"), str):
        return "Read", {"file_path": tools_patch.absolute(given["path"], place.cwd)}
    if name == "update_plan":
        todos = _todos(given.get("plan"))
        return None if todos is None else ("TodoWrite", {"todos": todos})
    if name == "spawn_agent" and isinstance(given.get("message"), str):
        described = given.get("task_name")
        made: JsonObject = {
            "description": described if isinstance(described, str) else given["message"][:40],
            "prompt": given["message"],
            "subagent_type": given["agent_type"] if isinstance(given.get("agent_type"), str) else "general-purpose",
        }
        return "Agent", made
    return None


def _todos(plan: JsonValue) -> list[JsonObject] | None:
    if not isinstance(plan, list):
        return None
    todos: list[JsonObject] = []
    for item in plan:
        if not isinstance(item, dict) or not isinstance(item.get("step"), str) or item.get("status") not in _STATUS:
            return None
        todos.append({"content": item["step"], "status": item["status"], "activeForm": item["step"]})
    return todos


def _foreign(use: Use, place: Place, block: ToolCallBlock | None) -> Use:
    """A tool that only the other client has.

    `namespace` is the one key of another provider's data that is read: the server whose tool it is, which Codex 0.128
    and later keep apart from the name (formats/codex.md §3).
    """
    server = (block.provider_data or {}).get("namespace") if block is not None else None
    prefix = f"{server}__" if isinstance(server, str) and server.startswith("mcp__") else f"mcp__{place.origin}__"
    name, _ = tool_name(prefix + use.name)
    return Use(name, use.input, "renamed-tool")
