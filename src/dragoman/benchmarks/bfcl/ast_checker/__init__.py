"""AST evaluation of BFCL: compares parsed calls with the possible answers of a question.

A verdict that differs from the reference's names the rule that decided (see `bfcl.rules`).
"""
