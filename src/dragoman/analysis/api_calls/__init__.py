"""Calls of APIs over runs: figures by agent, and by language, country, category and kind of call."""
