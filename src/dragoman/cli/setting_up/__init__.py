"""Setting up: what is there and what is missing, and a first grid file."""
