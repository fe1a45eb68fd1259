"""Scoring of stored conversations: rewards, judges, simulator validity, and measures.

Everything is a count with evidence. Nothing is simulated here; an environment is built only by a
factory that is passed in.
"""
