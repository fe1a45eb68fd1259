"""Building data: benchmarks in other languages, each a list of steps that can be taken up again.

Nothing is played or scored here, and nothing is written outside the folders that were named.
"""
