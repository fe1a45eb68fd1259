"""Datasets of web APIs: from documents that somebody wrote to tasks with checked answers, step by step."""
