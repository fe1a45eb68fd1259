"""Local servers that speak the protocols of providers of speech."""
