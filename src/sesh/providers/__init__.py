"""One folder a client, each behind one `Provider` value: readers and writers are pure functions."""
