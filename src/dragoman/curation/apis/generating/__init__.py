"""Queries over APIs: what they are to be about, and how templates and models write them."""
