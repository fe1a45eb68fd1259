"""Finds what is written with signs, formulas, units, paths and tags, and says it in English words.

It knows nothing of ids, dates and amounts, which the verbalization finds by their form.
"""
