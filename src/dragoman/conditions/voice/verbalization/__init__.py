"""Verbalization (text normalization for speech): written text as an English speaker says it."""
