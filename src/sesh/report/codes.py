"""Every code that a report's entry can bear, with its meaning: stable, so that programs may act on them.

A reader or writer that needs a new one adds it here; a test compares this table with the code and the docs.
"""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    # reading: the bytes
    "unreadable-line": "A line (or a piece of it) is no JSON; its text is kept in an unknown block.",
    "torn-last-line": "The last line has no line feed and is no JSON: the client may still be writing. Left out.",
    "shown-only": "The client showed this and never sent it to its model; kept as context.",
    "events-alone": "The file holds events and no items; what the client showed was taken for the conversation.",
    "pending-echo": "An event at the very end, its item not yet written; left out so that it does not come twice.",
    "shared-line": "Several records stood on one line; each was read.",
    "repaired-bytes": "NUL bytes or invalid UTF-8 were left out or replaced by U+FFFD.",
    "odd-field": "A field was not of the type it always has; it was left out.",
    "unknown-key": "A canonical record has a key this release does not know; it is kept as it stands.",
    "unknown-record": "A record kind sesh does not know; kept whole in an unknown block.",
    # reading: the conversation
    "no-conversation": "The file holds no message.",
    "missing-parent": "A line names a parent that is not in the file; it was joined to the line before it.",
    "duplicate-id": "Two different lines bear the same id.",
    "cycle": "Lines or files name each other as parents; file order was taken instead.",
    "branch": "An abandoned branch (rewind, retry, second writer) became a child thread.",
    "rollback": "Turns that were rolled back became a child thread.",
    "superseded": "Turns of an earlier segment became a child thread.",
    "orphan-result": "A tool result whose call is not in the file; kept.",
    "open-call": "A tool call that never got a result; kept.",
    "missing-history": "Earlier history lies in another file that was not at hand; the entry says which.",
    "missing-companion": "A file beside the session (spilled output, sub-agent, base of a fork) was not at hand.",
    "queued-prompt": "A prompt that stands only in the client's queue became a message; later lines may replace it.",
    "unread-companion": "Files beside the session that are no part of the conversation were not read.",
    "unlinked-child": "A child thread whose beginning is not named by any tool call; its origin was not guessed.",
    "compaction": "The conversation was compacted here; what came before is kept in front.",
    "encrypted-summary": "The compaction's summary is encrypted; the earlier turns are the only readable history.",
    "id-from-file-name": "The session id was taken from the file's name.",
    "usage-unknown": "A usage record could not be given to a message.",
    # writing
    "renamed-tool": "A tool went over under the other client's name, its arguments translated; restorable.",
    "tool-name": "A tool's name was changed to characters the API accepts.",
    "call-id": "A call's id was changed to characters the API accepts, or made unique.",
    "stub-result": "A call without a result got a made-up one, so that the client accepts the session.",
    "stub-prompt": "The model's words came first, which the API refuses; a made-up prompt stands before them.",
    "orphan-dropped": "A result without a call cannot be sent; it was left out or written as text.",
    "reordered": "A result was moved up to its call, or the calls of a step put before its results, as they are sent.",
    "words-first": "Words after a call of their step: Claude Code sends the words of a step before its calls.",
    "as-call": "A block was written as a tool call, the nearest thing the other client has.",
    "as-text": "A block was written as text, the nearest thing the other client has.",
    "input-wrapped": 'A tool\'s input was no object and was wrapped as {"input": ...}.',
    "output-flattened": "A tool's output was no text or parts and was written as JSON text.",
    "error-flag": "The result was an error. Codex has no flag for it: its text and the display say so; restorable.",
    "search-results": "What a search found has no place in the other client's record of a search; restorable.",
    "surrogates": "Lone surrogates were replaced by U+FFFD.",
    "time-moved": "Times were moved to rise strictly.",
    "model-left-out": "The model's name is another vendor's and was not written where the client would adopt it.",
    "window": "After the last compaction the model is sent what the source client sent; earlier turns are for reading.",
    "over-window": "The history is longer than the target model's window is likely to hold.",
    "history-mode": "Which form of history was written, and why.",
    "ends-open": "The conversation ends without an answer; the client adds one of its own when it resumes.",
    "no-folder": "The thread names no working directory; the root folder was taken.",
    "cut": "Only part of the conversation was asked for.",
}
