"""The command line: parse, call one function, print.

Nothing is computed here, and nothing heavy is imported before it is needed.
"""
