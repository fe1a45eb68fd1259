"""Rewrites texts as speech by rules: seeded, a rate for each phenomenon, words as data."""
