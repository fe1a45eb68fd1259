"""Measures of one stored conversation: counting functions, and LLM judges with rubrics.

A measure turns a conversation into counts with evidence. `analysis` makes metrics of the counts.
"""
