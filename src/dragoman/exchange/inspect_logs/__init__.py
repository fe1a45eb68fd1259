"""Runs as logs of Inspect: one `.eval` file for each suite, condition and agent."""
