"""Sessions into a store: what is new of each, in the thread where it belongs, now or as it is said."""
