"""Defects of translated artifacts: one small check for each class, each with a stable code."""
