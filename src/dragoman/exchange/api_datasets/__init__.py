"""Datasets of web APIs as files for others: a suite, conversations, tool calls, tables, a dataset folder."""
