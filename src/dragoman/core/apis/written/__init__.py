"""Calls of APIs as models write them in text, read within bounds and never evaluated."""
