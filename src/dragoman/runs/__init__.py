"""Runs: plan, play, resume, score, check and merge them.

The packages above build tables of results and handle foreign file formats.
"""
