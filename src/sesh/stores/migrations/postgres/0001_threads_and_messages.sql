-- A thread's record is replaced when it is put again; `seq` is the order of first puts.
CREATE TABLE sesh_threads (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    agent_id text,
    parent_thread_id text,
    record text NOT NULL
);
CREATE INDEX sesh_threads_by_agent ON sesh_threads (agent_id, seq) WHERE agent_id IS NOT NULL;
CREATE INDEX sesh_threads_by_parent ON sesh_threads (parent_thread_id, seq) WHERE parent_thread_id IS NOT NULL;

-- A message never changes; within a thread, `seq` is the order of appending. `record` is the canonical JSON as text:
-- jsonb would change it (order of keys, numbers) and refuses \u0000. Query it with `record::jsonb`.
CREATE TABLE sesh_messages (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread_id text NOT NULL,
    id text NOT NULL,
    run_id text,
    record text NOT NULL
);
CREATE UNIQUE INDEX sesh_messages_by_id ON sesh_messages (thread_id, id);
CREATE INDEX sesh_messages_in_order ON sesh_messages (thread_id, seq);
CREATE INDEX sesh_messages_by_run ON sesh_messages (run_id, thread_id, seq) WHERE run_id IS NOT NULL;
