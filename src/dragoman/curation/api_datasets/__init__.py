"""Datasets of web APIs: from API documents to tasks with checked answers, step by step."""
