"""Numbers from scores: pass^k, intervals, paired tests, agreement, blame.

No files, no plots, no clock: what goes in are records, what comes out are figures.
"""
