"""Values in text: reading them in any written form, and deciding whether a text states one.

Everything is decided from the text and its language alone. No engine, no clock and no network take part.
"""
