"""The forms in which models of all kinds write calls: one reader each, one row in a table.

A reader takes a reply and what reads code in its question's language; nothing is evaluated, and
what holds no calls of its form is refused.
"""
