"""Runs: plan, play, resume, score, check and merge them.

Tables of results and foreign file formats belong to the packages above.
"""
