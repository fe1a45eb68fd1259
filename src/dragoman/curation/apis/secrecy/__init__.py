"""Credentials of API documents: told by their names and kept out of all that is stored."""
