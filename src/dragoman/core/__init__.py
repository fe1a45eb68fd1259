"""Shared records, protocols, errors, content keys and text rules.

Nothing here reads the clock, the network or the environment, and nothing here knows a benchmark.
"""
