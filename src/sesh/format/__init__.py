"""The canonical model: Thread, Message, Block, Provenance (`v: 1`) and its JSON. Pure: msgspec and stdlib only."""
