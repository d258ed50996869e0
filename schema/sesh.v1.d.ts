// sesh's canonical message format, version 1. Made from sesh.v1.schema.json; do not edit.
//
// Within v1, optional fields and further block types may be added. A program that meets a block type which is not
// listed here should treat it as it treats "unknown" (a `switch` over `block.type` needs a `default`).

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** One line of canonical JSON Lines. */
export type CanonicalRecord = Thread | Message;

/**
 * A conversation that outlives the client that began it. Its messages are linear; sub-agents, side conversations
 * and abandoned branches are threads of their own that name their parent.
 */
export interface Thread {
  /** The schema's version, on every record: 1. */
  v: 1;
  /** The thread's id. Derived, so that reading the same session twice gives the same thread. */
  id: string;
  /** The agent whose thread this is, where a gateway runs agents. */
  agentId?: string;
  /** On a child thread: the thread it belongs to. */
  parentThreadId?: string;
  /**
   * On a child thread: the message it came from (the one with the call, or the last one in common). Absent where
   * the source does not say.
   */
  originMessageId?: string;
  /** What people call the conversation. */
  title?: string;
  /** When it began, ISO 8601. */
  createdAt: string;
  /**
   * What else is known of it, all optional: `provider`, `sessionId`, `cwd`, `gitBranch`, `gitCommit`, `gitUrl`,
   * `model`, `version` (the client's), `originator`, `entrypoint`, `source`, `forkedFrom`, `contextWindow`; on
   * children `relation` (`subagent`, `sidechain`, `branch`, `rollback`), `agentType`, `agentId`, `description`;
   * `link` (sesh made the session from another one); `ingested` (what a store has taken from which session);
   * `providerData` (for the session's own provider only).
   */
  metadata?: JsonObject;
}

/** Ordered blocks under one role, at one place of a thread. */
export interface Message {
  /** The schema's version, on every record: 1. */
  v: 1;
  /** The message's id, unique in its thread. */
  id: string;
  /** The thread it belongs to. */
  threadId: string;
  /** The turn: from one prompt to the next. */
  turnId?: string;
  /** What the model said in one go: messages of one step have the same. A model is sent a step on end. */
  stepId?: string;
  /** The message this one answers or follows, where the source is a tree. */
  parentId?: string;
  /** Who speaks: `user`, `assistant`, `system`, or `tool` (a result). */
  role: "user" | "assistant" | "system" | "tool";
  /** When, ISO 8601; the source's own time. */
  ts: string;
  /** The gateway's run that it belongs to. A thread spans many runs. */
  runId?: string;
  /**
   * Absent: the conversation itself. `context`: put in by a client, typed by nobody. `summary`: stands for what
   * came before it (a compaction). `notice`: a client's remark that the model is sent.
   */
  kind?: "context" | "summary" | "notice";
  /** The model that produced it. */
  model?: string;
  /** Its blocks, in order. */
  content: Block[];
  /** Tokens, once for each API message, on its last message. */
  usage?: Usage;
  /** Where it was first said. */
  provenance?: Provenance;
  /**
   * On a `summary`: the ids of the messages that the model still held right after the compaction, in order, the
   * summary's own among them. Absent: the summary alone.
   */
  window?: string[];
  /** What its own provider needs to write the same record again. Opaque; never sent to another vendor. */
  providerData?: JsonObject;
  /** The source record, whole, where it was asked for (`keep_raw`). */
  raw?: JsonValue;
}

/** Tokens of one API message. */
export interface Usage {
  /** Tokens of the prompt, cached ones NOT included. */
  inputTokens?: number;
  /** Tokens of the answer, reasoning included. */
  outputTokens?: number;
  /** Tokens of the prompt read from the cache. */
  cacheReadTokens?: number;
  /** Tokens of the prompt written to the cache. */
  cacheWriteTokens?: number;
  /** Tokens of reasoning, which `outputTokens` includes. */
  reasoningTokens?: number;
}

/** Where a message was first said. */
export interface Provenance {
  /** `claude-code`, `codex`, `clanker`, or another provider's name. */
  provider: string;
  /** `session-file`: read from a file. `live`: taken from a running client. */
  channel: string;
  /** The vendor's session id. */
  sessionId?: string;
  /** The vendor's id of the record. */
  sourceId?: string;
  /** Whether the source marks it as beside the main conversation. */
  sidechain?: boolean;
}

/** A block of a message. A reader takes a type it does not know as an unknown block. */
export type Block =
  | TextBlock
  | ReasoningBlock
  | ToolCallBlock
  | ToolResultBlock
  | FileChangeBlock
  | WebSearchBlock
  | AttachmentBlock
  | UnknownBlock;

/** Words, as said. */
export interface TextBlock {
  /** What kind of block it is. */
  type: "text";
  /** What its own provider needs to write the same block again. Opaque; never sent to another vendor. */
  providerData?: JsonObject;
  /** The words. */
  text: string;
}

/** The model's thinking. */
export interface ReasoningBlock {
  /** What kind of block it is. */
  type: "reasoning";
  /** What its own provider needs to write the same block again. Opaque; never sent to another vendor. */
  providerData?: JsonObject;
  /** The thinking, where it is readable. */
  text?: string;
  /** True where the vendor keeps it encrypted; then there is no text. */
  redacted?: boolean;
}

/** A tool run that the model asked for. */
export interface ToolCallBlock {
  /** What kind of block it is. */
  type: "tool_call";
  /** What its own provider needs to write the same block again. Opaque; never sent to another vendor. */
  providerData?: JsonObject;
  /** What the result refers to. */
  callId: string;
  /** The tool's name, as the client has it. */
  name: string;
  /** The arguments: any JSON; their text where they are not JSON. */
  input: JsonValue;
}

/** What a tool gave back. */
export interface ToolResultBlock {
  /** What kind of block it is. */
  type: "tool_result";
  /** What its own provider needs to write the same block again. Opaque; never sent to another vendor. */
  providerData?: JsonObject;
  /** The call it answers. */
  callId: string;
  /**
   * A string, or a list of content parts (blocks of type `text`, `attachment`, `unknown`), or any other JSON the
   * tool gave.
   */
  output: JsonValue;
  /** What the model was given in place of a large `output`, where the client kept the whole in a file. */
  excerpt?: JsonValue;
  /** Whether it failed; absent where the source does not tell. */
  isError?: boolean;
}

/** A change of files as a patch (`apply_patch`), however it was called. */
export interface FileChangeBlock {
  /** What kind of block it is. */
  type: "file_change";
  /** What its own provider needs to write the same block again. Opaque; never sent to another vendor. */
  providerData?: JsonObject;
  /** What the result refers to. */
  callId?: string;
  /** The file, where the patch changes one. */
  path?: string;
  /** The exact text of the patch. */
  patch?: string;
}

/** A web search run on the vendor's side. */
export interface WebSearchBlock {
  /** What kind of block it is. */
  type: "web_search";
  /** What its own provider needs to write the same block again. Opaque; never sent to another vendor. */
  providerData?: JsonObject;
  /** What a result refers to, where there is one. */
  callId?: string;
  /** What was looked for; empty where a page was opened. */
  query: string;
  /** What was found, where the source has it. */
  results?: JsonValue;
}

/** An image or a document. */
export interface AttachmentBlock {
  /** What kind of block it is. */
  type: "attachment";
  /** What its own provider needs to write the same block again. Opaque; never sent to another vendor. */
  providerData?: JsonObject;
  /** The MIME type. */
  mediaType?: string;
  /** Where it is, when it is not here. */
  uri?: string;
  /** The bytes, in base64. */
  data?: string;
}

/** What the model has no name for, kept whole. */
export interface UnknownBlock {
  /** What kind of block it is. */
  type: "unknown";
  /** What its own provider needs to write the same block again. Opaque; never sent to another vendor. */
  providerData?: JsonObject;
  /** The vendor's type of it. */
  sourceType: string;
  /** The value itself. */
  raw: JsonValue;
}
