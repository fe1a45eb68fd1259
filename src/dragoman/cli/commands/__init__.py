"""Declarations of the commands and their options.

Importing a declaration is cheap: each command imports its implementation when it is called.
"""
