"""Calls and values in Java and JavaScript source text."""
