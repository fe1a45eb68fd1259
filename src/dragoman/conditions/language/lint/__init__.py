"""Linter for translated artifacts: one check for each class of defect, with a stable code."""
