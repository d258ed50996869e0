"""The canonical model: Thread, Message, Block, Provenance (`v: 1`) and its JSON. Pure: msgspec and the standard library only."""
