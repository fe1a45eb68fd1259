"""Datasets on disk: what was collected and made, and what became of each item at each step."""
