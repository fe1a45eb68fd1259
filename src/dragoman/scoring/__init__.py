"""Checks, judges and measures: counts with evidence from stored episodes.

Nothing is simulated here, and no world is built but by a factory that is handed in.
"""
