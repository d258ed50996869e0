"""The tests of sesh. They mirror src/; what they share stands here: the corpus, rows, the real clients."""
