"""Readers of other projects' tool-calling datasets, each converting one into a task set."""
