"""Print the threads of a store, or one thread as plain text. Written from docs/reference/ alone.

python read_thread.py sqlite:/home/ada/store.db              the threads, newest last
python read_thread.py sqlite:/home/ada/store.db THREAD       what was said in one
"""

import sys

from sesh.format.blocks import FileChangeBlock, TextBlock, ToolCallBlock, ToolResultBlock
from sesh.stores import open_store


def main(url: str, thread_id: str | None = None) -> None:
    store = open_store(url)
    if thread_id is None:
        for thread in store.list_threads():
            if thread.parent_thread_id is None:
                print(thread.id, thread.created_at, thread.title or "(no title)")
        return
    thread = store.get_thread(thread_id)
    left = set((thread.metadata or {}).get("left", [])) if thread else set()
    after = None
    while page := store.get_messages(thread_id, after_id=after, limit=50):
        for message in page:
            if message.kind == "context" or message.id in left:
                continue  # put in by a client, typed by nobody; or a turn that was taken back
            for block in message.content:
                match block:
                    case TextBlock():
                        print(f"{message.role}: {block.text}")
                    case ToolCallBlock():
                        print(f"{message.role} calls {block.name} {block.input}")
                    case FileChangeBlock():
                        print(f"{message.role} changes {block.path}")
                    case ToolResultBlock():
                        print(f"tool {'fails' if block.is_error else 'answers'}: {str(block.output)[:200]}")
        after = page[-1].id


main(*sys.argv[1:])
