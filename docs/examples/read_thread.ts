// Print the threads of a jsonl: store, or one thread as plain text. No package of sesh's, only docs/reference/.
//
//   tsc read_thread.ts && node read_thread.js DIR [THREAD]
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { CanonicalRecord, Message, Thread } from "../../schema/sesh.v1.js";

function records<R extends CanonicalRecord>(path: string): R[] {
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""; // a thread without messages has no file
  const whole = text.slice(0, text.lastIndexOf("\n") + 1); // an unfinished last line is a writer at work
  return whole.split("\n").filter(Boolean).map((line): R => JSON.parse(line)).filter((record) => record.v === 1);
}

function fileOf(threadId: string): string {
  const safe = /^[a-z0-9][a-z0-9-]{7,99}$/.test(threadId) && !threadId.startsWith("sha256-");
  return safe ? threadId : "sha256-" + createHash("sha256").update(threadId).digest("hex");
}

const [dir = ".", threadId] = process.argv.slice(2);
const threads = new Map<string, Thread>();
for (const thread of records<Thread>(`${dir}/threads.jsonl`)) threads.set(thread.id, thread); // the last one counts

if (threadId === undefined) {
  for (const t of threads.values()) if (!t.parentThreadId) console.log(t.id, t.createdAt, t.title ?? "(no title)");
} else {
  const left = new Set((threads.get(threadId)?.metadata?.left ?? []) as string[]);
  for (const message of records<Message>(`${dir}/messages/${fileOf(threadId)}.jsonl`)) {
    if (message.kind === "context" || left.has(message.id)) continue;
    for (const block of message.content) {
      switch (block.type) {
        case "text": console.log(`${message.role}: ${block.text}`); break;
        case "tool_call": console.log(`${message.role} calls ${block.name} ${JSON.stringify(block.input)}`); break;
        case "file_change": console.log(`${message.role} changes ${block.path}`); break;
        case "tool_result": console.log(`tool ${block.isError ? "fails" : "answers"}: ${JSON.stringify(block.output)}`);
      }
    }
  }
}
