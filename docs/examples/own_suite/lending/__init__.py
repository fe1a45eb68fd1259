"""A suite of one's own: a library that lends a few books."""
