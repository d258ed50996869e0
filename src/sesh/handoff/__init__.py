"""A conversation handed to the other client, and brought back: plan, then act."""
