"""Checks and judges: scores from stored episodes, without simulating."""
