"""Entries of several turns: worlds of interfaces, judged by states and results."""
