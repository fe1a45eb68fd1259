"""Records and protocols that every room shares, and the tables of words that several need.

No I/O beyond those tables, no clock, no network, and nothing that only one room needs.
"""
