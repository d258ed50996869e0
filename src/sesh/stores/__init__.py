"""Message stores: the same five methods over memory, JSON Lines, SQLite and Postgres."""
