"""Conversations as files for people and programs: canonical JSON Lines, Markdown, HTML."""
