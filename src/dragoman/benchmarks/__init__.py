"""Benchmarks: each folder yields tasks, worlds and conductors; `kit` holds what they share, `pulling` their data.

No benchmark imports another, and nothing outside this room asks which one it has.
"""
