"""Figures of stored runs as rows: summaries, comparisons, frames.

Reads stores and never plays, scores or prints.
"""
