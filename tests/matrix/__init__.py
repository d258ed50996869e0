"""What survives: every kind of thing a conversation holds, written by every provider and read again."""
