"""Wires of providers of speech: one file per protocol, one gate for their calls."""
