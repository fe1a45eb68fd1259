"""Test servers for the protocols of speech providers."""
