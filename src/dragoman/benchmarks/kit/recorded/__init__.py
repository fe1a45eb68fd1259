"""Suites whose users' words were recorded, as one suite."""
