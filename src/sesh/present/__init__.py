"""One view model of a conversation for terminal, Markdown and HTML."""
