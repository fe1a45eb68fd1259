"""A small suite of our own in the retail domain, for first steps, demonstrations and tests."""
