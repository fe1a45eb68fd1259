"""Calls in the text of a reply: Python, JSON and XML, read within bounds and never evaluated."""
