"""Benchmarks of runs with several worker processes."""
