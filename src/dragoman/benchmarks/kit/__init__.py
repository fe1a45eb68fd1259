"""What worlds and suites share, whatever the benchmark.

Nothing here knows a benchmark; a suite takes what it needs and no suite imports another.
"""
