"""Building blocks for suites and environments, independent of any benchmark.

Its names are documented for suites of one's own: tables, toolkits, turn protocols, HTTP tools.
"""
