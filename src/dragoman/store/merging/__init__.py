"""Runs of one plan become one: which of two conversations stays, and a new folder with all of it."""
