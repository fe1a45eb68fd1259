"""The commands and what they take; each hands over to one function that does the work."""
