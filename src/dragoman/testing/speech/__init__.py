"""Test servers that speak the protocols of speech providers."""
