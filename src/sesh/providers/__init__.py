"""One folder a client, each behind one `Provider` value: readers and writers that are pure functions of bytes and values."""
