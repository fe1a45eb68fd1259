"""Benchmarks: each folder yields tasks, worlds and conductors; `data` pulls pinned files."""
