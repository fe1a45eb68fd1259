"""The index of a run: made of its store in the background, asked by pages.

Only this reads a whole run, and only here something is written: beside no run, in the cache.
"""
