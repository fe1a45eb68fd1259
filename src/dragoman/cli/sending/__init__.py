"""Runs that are sent and received in one file."""
