"""Leaderboards and report sections of papers and benchmarks, each in a package of its own.

The tables in `dragoman.report.catalog` name what they offer; no other module knows them.
"""
