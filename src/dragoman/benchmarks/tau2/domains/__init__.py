"""Domains of tau2-bench: airline, retail and telecom, each with its records and its tools.

Checks come in the reference's order, with the reference's texts.
"""
