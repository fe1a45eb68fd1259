"""The formats of artifacts: which texts each has, and how each is written with others."""
