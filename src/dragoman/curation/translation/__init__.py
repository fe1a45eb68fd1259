"""Translating a benchmark: from its artifacts to the same artifacts in another language."""
