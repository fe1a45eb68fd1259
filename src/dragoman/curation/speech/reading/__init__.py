"""Reads values back from rewritten words; knows nothing of how they were rewritten."""
