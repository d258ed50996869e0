"""Sessions that go over to the other client and are resumed there, by the real client."""
