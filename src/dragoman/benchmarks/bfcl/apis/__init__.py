"""Simulated APIs of BFCL's multi-turn and agentic entries, one module per API class.

Modules are named in `catalogue.toml` by the class that an entry asks for.
"""
