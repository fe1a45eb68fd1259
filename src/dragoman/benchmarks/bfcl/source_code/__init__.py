"""Tokenizer, parser and values of Java and JavaScript source text.

BFCL asks for calls and arguments in these languages. Parsing is linear in time and bounded in
depth.
"""
