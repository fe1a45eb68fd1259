"""Memories that agents keep: texts by key, one text, and texts found by meaning."""
