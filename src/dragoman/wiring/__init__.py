"""Names become objects; the only reader of environment and configuration.

What objects do is not decided here.
"""
