-- A thread's record is replaced when it is put again; `seq` is the order of first puts.
CREATE TABLE threads (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent_id TEXT,
    parent_thread_id TEXT,
    record TEXT NOT NULL
);
CREATE INDEX threads_by_agent ON threads (agent_id, seq) WHERE agent_id IS NOT NULL;
CREATE INDEX threads_by_parent ON threads (parent_thread_id, seq) WHERE parent_thread_id IS NOT NULL;

-- A message never changes; `seq` is the order of appending. `record` is the canonical JSON, one line.
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    thread_id TEXT NOT NULL,
    id TEXT NOT NULL,
    run_id TEXT,
    record TEXT NOT NULL
);
CREATE UNIQUE INDEX messages_by_id ON messages (thread_id, id);
CREATE INDEX messages_in_order ON messages (thread_id, seq);
CREATE INDEX messages_by_run ON messages (run_id, thread_id, seq) WHERE run_id IS NOT NULL;
