"""Records and protocols that every room shares.

No I/O, no clock, no network, and nothing that only one room needs.
"""
