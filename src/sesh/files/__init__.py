"""Opening, watching and placing session files: the only code that touches a vendor's files. It creates, never edits."""
