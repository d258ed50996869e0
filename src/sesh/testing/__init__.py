"""Shipped tests: strategies and suites with which a third party proves its provider or store."""
