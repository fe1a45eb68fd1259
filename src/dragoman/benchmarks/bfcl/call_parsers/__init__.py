"""Parsers of tool calls written as text: Python, JSON, XML and the formats of models.

All work within bounds on length and depth, and evaluate nothing.
"""
