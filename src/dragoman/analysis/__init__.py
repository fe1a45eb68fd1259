"""Statistics over conversation results: pass^k, intervals, paired tests, agreement, attribution.

It reads no files, draws no plots and knows no clock: records go in, statistics come out.
"""
