"""What every field of the canonical model means, and where each client's sessions have it from.

The JSON Schema, the TypeScript types and docs/reference/format.md all say it from here; a test compares the keys with
the structs. "—" means that the client has nothing of the kind.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Field(NamedTuple):
    """A field: what it is, and its source in a Claude Code session and in a Codex rollout."""

    meaning: str
    claude: str = "—"
    codex: str = "—"


STRUCTS: Final[dict[str, str]] = {
    "Thread": "A conversation that outlives the client that began it. Its messages are linear; sub-agents, side "
    "conversations and abandoned branches are threads of their own that name their parent.",
    "Message": "Ordered blocks under one role, at one place of a thread.",
    "Usage": "Tokens of one API message.",
    "Provenance": "Where a message was first said.",
    "TextBlock": "Words, as said.",
    "ReasoningBlock": "The model's thinking.",
    "ToolCallBlock": "A tool run that the model asked for.",
    "ToolResultBlock": "What a tool gave back.",
    "FileChangeBlock": "A change of files as a patch (`apply_patch`), however it was called.",
    "WebSearchBlock": "A web search run on the vendor's side.",
    "AttachmentBlock": "An image or a document.",
    "UnknownBlock": "What the model has no name for, kept whole.",
}

_ID: Final = "derived (UUID v5) from provider, session and record"

FIELDS: Final[dict[str, dict[str, Field]]] = {
    "Thread": {
        "v": Field("The schema's version, on every record: 1.", "set by sesh", "set by sesh"),
        "id": Field(
            "The thread's id. Derived, so that reading the same session twice gives the same thread.",
            "UUID v5 of `claude-code` and the session id",
            "UUID v5 of `codex` and the id in the first `session_meta`",
        ),
        "agentId": Field("The agent whose thread this is, where a gateway runs agents.", "`--agent`", "`--agent`"),
        "parentThreadId": Field(
            "On a child thread: the thread it belongs to.",
            "sub-agent files, `isSidechain` lines, abandoned branches of the tree",
            "sub-agent rollouts, rolled-back turns",
        ),
        "originMessageId": Field(
            "On a child thread: the message it came from (the one with the call, or the last one in common). Absent "
            "where the source does not say.",
            "the message with the `Task`/`Agent` call, or the parent of the branch's first line",
            "the message with the spawning call, or the last one before the turns that were rolled back",
        ),
        "title": Field(
            "What people call the conversation.",
            "the last `custom-title`, else the last `ai-title`, that is not empty",
            "the last name in `session_index.jsonl` or in a name event",
        ),
        "createdAt": Field(
            "When it began, ISO 8601.", "`timestamp` of the first line that has one", "`session_meta.payload.timestamp`"
        ),
        "metadata": Field(
            "What else is known of it, all optional: `provider`, `sessionId`, `cwd`, `gitBranch`, `gitCommit`, "
            "`gitUrl`, `model`, `version` (the client's), `originator`, `entrypoint`, `source`, `forkedFrom`, "
            "`contextWindow`; on children `relation` (`subagent`, `sidechain`, `branch`, `rollback`), `agentType`, "
            "`agentId`, `description`; `link` (sesh made the session from another one); `ingested` (what a store has "
            "taken from which session); `providerData` (for the session's own provider only).",
            "the fields of the lines' envelope, the sub-agent's `.meta.json`",
            "`session_meta.payload`, the last `turn_context`",
        ),
    },
    "Message": {
        "v": Field("The schema's version, on every record: 1.", "set by sesh", "set by sesh"),
        "id": Field(
            "The message's id, unique in its thread.",
            f"{_ID} (`uuid`); `#1`, `#2` where a line gives several",
            f"{_ID} (the item's `id`, or `line:N`)",
        ),
        "threadId": Field("The thread it belongs to.", "the thread's id", "the thread's id"),
        "turnId": Field(
            "The turn: from one prompt to the next.",
            "the message id of the prompt that began it",
            "`turn_id` of `turn_context` or `task_started`, or of the item itself",
        ),
        "stepId": Field(
            "What the model said in one go: messages of one step have the same. A model is sent a step on end.",
            "`message.id` of assistant lines",
        ),
        "parentId": Field(
            "The message this one answers or follows, where the source is a tree.",
            "`parentUuid`, past lines that are no messages",
        ),
        "role": Field(
            "Who speaks: `user`, `assistant`, `system`, or `tool` (a result).",
            "`type` of the line; `tool` where it holds a `tool_result`",
            "`role` of the item (`developer` is `system`); `tool` for outputs",
        ),
        "ts": Field("When, ISO 8601; the source's own time.", "`timestamp`", "`timestamp` of the line"),
        "runId": Field("The gateway's run that it belongs to. A thread spans many runs.", "`--run`", "`--run`"),
        "kind": Field(
            "Absent: the conversation itself. `context`: put in by a client, typed by nobody. `summary`: stands for "
            "what came before it (a compaction). `notice`: a client's remark that the model is sent.",
            "`isMeta`, attachments, `isCompactSummary`, command echoes, interruptions",
            "developer messages, environment and instruction texts, `compacted`, aborts",
        ),
        "model": Field("The model that produced it.", "`message.model`", "`turn_context.model`"),
        "content": Field("Its blocks, in order.", "`message.content`", "the item"),
        "usage": Field(
            "Tokens, once for each API message, on its last message.",
            "`message.usage` of the last line with that `message.id`",
            "`token_count` (`last_token_usage`) or `token_usage_record`, on the turn's latest assistant message",
        ),
        "provenance": Field("Where it was first said.", "the line", "the line"),
        "window": Field(
            "On a `summary`: the ids of the messages that the model still held right after the compaction, in order, "
            "the summary's own among them. Absent: the summary alone.",
            "`compactMetadata.preservedMessages` or `preservedSegment`",
            "`compacted.replacement_history`",
        ),
        "providerData": Field(
            "What its own provider needs to write the same record again. Opaque; never sent to another vendor.",
            "the rest of the line and of `message`",
            "the rest of the item",
        ),
        "raw": Field("The source record, whole, where it was asked for (`keep_raw`).", "the line", "the line"),
    },
    "Usage": {
        "inputTokens": Field(
            "Tokens of the prompt, cached ones NOT included.",
            "`input_tokens`",
            "`input_tokens` less `cached_input_tokens`",
        ),
        "outputTokens": Field("Tokens of the answer, reasoning included.", "`output_tokens`", "`output_tokens`"),
        "cacheReadTokens": Field(
            "Tokens of the prompt read from the cache.", "`cache_read_input_tokens`", "`cached_input_tokens`"
        ),
        "cacheWriteTokens": Field("Tokens of the prompt written to the cache.", "`cache_creation_input_tokens`"),
        "reasoningTokens": Field(
            "Tokens of reasoning, which `outputTokens` includes.", codex="`reasoning_output_tokens`"
        ),
    },
    "Provenance": {
        "provider": Field("`claude-code`, `codex`, `clanker`, or another provider's name.", "`claude-code`", "`codex`"),
        "channel": Field(
            "`session-file`: read from a file. `live`: taken from a running client.", "`session-file`", "`session-file`"
        ),
        "sessionId": Field("The vendor's session id.", "`sessionId`", "`session_meta.payload.id`"),
        "sourceId": Field("The vendor's id of the record.", "`uuid`", "the item's `id`; `line:N` where it has none"),
        "sidechain": Field("Whether the source marks it as beside the main conversation.", "`isSidechain`"),
    },
    "TextBlock": {
        "text": Field("The words.", "`text` block, or a string `content`", "`input_text`, `output_text`"),
    },
    "ReasoningBlock": {
        "text": Field("The thinking, where it is readable.", "`thinking`", "`summary` and `content` texts"),
        "redacted": Field(
            "True where the vendor keeps it encrypted; then there is no text.",
            "`redacted_thinking`, or thinking without text",
            "`encrypted_content` without texts",
        ),
    },
    "ToolCallBlock": {
        "callId": Field("What the result refers to.", "`tool_use.id`", "`call_id`"),
        "name": Field("The tool's name, as the client has it.", "`tool_use.name`", "`name`, with its `namespace`"),
        "input": Field(
            "The arguments: any JSON; their text where they are not JSON.",
            "`tool_use.input`",
            "`arguments` decoded, or `input` of a custom call, or `action` of a shell call",
        ),
    },
    "ToolResultBlock": {
        "callId": Field("The call it answers.", "`tool_use_id`", "`call_id`"),
        "output": Field(
            "A string, or a list of content parts (blocks of type `text`, `attachment`, `unknown`), or any other JSON "
            "the tool gave.",
            "`tool_result.content`",
            "`output`",
        ),
        "excerpt": Field(
            "What the model was given in place of a large `output`, where the client kept the whole in a file.",
            "the `<persisted-output>` text, where the file it names is at hand",
        ),
        "isError": Field(
            "Whether it failed; absent where the source does not tell.",
            "`is_error`",
            "read from what is said: exit code, `success`, the event beside it",
        ),
    },
    "FileChangeBlock": {
        "callId": Field("What the result refers to.", codex="`call_id`"),
        "path": Field("The file, where the patch changes one.", codex="the patch's header"),
        "patch": Field(
            "The exact text of the patch.", codex="`apply_patch`'s input, or the here-document of a shell call"
        ),
    },
    "WebSearchBlock": {
        "callId": Field("What a result refers to, where there is one.", "`server_tool_use.id`", "the item's `id`"),
        "query": Field(
            "What was looked for; empty where a page was opened.", "`server_tool_use.input.query`", "`action.query`"
        ),
        "results": Field("What was found, where the source has it.", "`web_search_tool_result`"),
    },
    "AttachmentBlock": {
        "mediaType": Field("The MIME type.", "`source.media_type`", "of the data: URL"),
        "uri": Field("Where it is, when it is not here.", "`source.url`", "`image_url`"),
        "data": Field("The bytes, in base64.", "`source.data`", "of the data: URL"),
    },
    "UnknownBlock": {
        "sourceType": Field("The vendor's type of it.", "`type`", "`type`"),
        "raw": Field("The value itself.", "the block or line", "the item or line"),
    },
}

BLOCK_FIELDS: Final[dict[str, Field]] = {
    "type": Field("What kind of block it is.", "`type` of the block", "`type` of the item"),
    "providerData": Field(
        "What its own provider needs to write the same block again. Opaque; never sent to another vendor.",
        "the rest of the block",
        "the rest of the item",
    ),
}
"""On every block."""


def of(struct: str, key: str) -> Field:
    """The description of a field. Raises KeyError where there is none."""
    own = FIELDS[struct]
    return own[key] if key in own else BLOCK_FIELDS[key]
