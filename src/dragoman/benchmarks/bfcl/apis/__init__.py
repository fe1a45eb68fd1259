"""The application programming interfaces that BFCL's multi-turn entries are played in."""
