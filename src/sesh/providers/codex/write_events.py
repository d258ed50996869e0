"""Legacy display events: what transcripts and lists are drawn from before 0.155, and in legacy files by all versions.

Shapes: formats/codex.md §3; which version draws which: §6. `mcp_tool_call_end` is the one tool event that all eight
versions tried there draw, so it stands for every tool without an event of its own; the server's name says whose tool
it was.
"""

from __future__ import annotations

from typing import Final, assert_never

from sesh.format.json import JsonObject
from sesh.providers.codex.display import Card, Command, Image, Patch, Plan, Search, Tool
from sesh.providers.codex.write_history import absolute, mcp_result

_NO_TIME: Final = {"secs": 0, "nanos": 0}


def user_message(texts: list[str], images: list[str]) -> JsonObject:
    """What a person typed: preview, list and transcript come from it."""
    return {
        "type": "user_message",
        "message": "\n".join(texts),
        "images": images,
        "local_images": [],
        "text_elements": [],
    }


def agent_message(text: str) -> JsonObject:
    """What the model said."""
    return {"type": "agent_message", "message": text, "phase": None}


def reasoning(text: str) -> JsonObject:
    """The model's thinking, as far as it may be read."""
    return {"type": "agent_reasoning", "text": text}


def tool(call_id: str, turn_id: str, card: Card, cwd: str, *, vendor: str, exec_events: bool) -> JsonObject | None:
    """A tool run; None where no version draws an event of it (a plan: it has an item in every form of file).

    exec_events: write `exec_command_end`, which 0.87 to 0.128 draw and later versions do not.
    """
    match card:
        case Command() if exec_events:
            return {
                "type": "exec_command_end",
                "call_id": call_id,
                "turn_id": turn_id,
                "command": card.argv,
                "cwd": card.cwd or cwd,
                "parsed_cmd": [{"type": "unknown", "cmd": card.argv[-1]}],
                "source": "agent",
                "stdout": card.output,
                "stderr": "",
                "aggregated_output": card.output,
                "exit_code": card.exit_code,
                "duration": _NO_TIME,
                "formatted_output": card.output,
                "status": "failed" if card.exit_code else "completed",
            }
        case Command():
            content = [{"type": "text", "text": card.output}]
            result: JsonObject = {"content": content, **({"isError": True} if card.exit_code else {})}
            return _mcp(call_id, vendor, card.name, card.arguments, result)
        case Patch():
            return {
                "type": "patch_apply_end",
                "call_id": call_id,
                "turn_id": turn_id,
                "stdout": "" if card.failed else card.output,
                "stderr": card.output if card.failed else "",
                "success": not card.failed,
                "changes": absolute(card.changes, cwd),
                "status": "failed" if card.failed else "completed",
            }
        case Search():
            return {"type": "web_search_end", "call_id": call_id, "query": card.query, "action": card.action}
        case Image():
            seen = {"content": [{"type": "text", "text": "image"}]}
            return _mcp(call_id, vendor, card.name, card.arguments, seen)
        case Plan():
            return None
        case Tool():
            return _mcp(call_id, card.server or vendor, card.name, card.arguments, mcp_result(card))
        case _:
            assert_never(card)


def _mcp(call_id: str, server: str, name: str, arguments: object, result: JsonObject) -> JsonObject:
    return {
        "type": "mcp_tool_call_end",
        "call_id": call_id,
        "invocation": {"server": server, "tool": name, "arguments": arguments},
        "duration": _NO_TIME,
        "result": {"Ok": result},
    }
