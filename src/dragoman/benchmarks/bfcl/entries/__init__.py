"""Upstream's entries as tasks: single questions and fixed turns, and what a model is shown."""
