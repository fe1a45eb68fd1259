"""Benchmarks: one folder each, with its tasks, environments, turn protocols and checks.

`kit` holds the building blocks that benchmarks share; `downloads` fetches data that are not
shipped. Code outside of this package knows benchmarks by the capabilities that they offer, never by
name.
"""
