"""Figures as records with their data, and what paints them: the same drawing for a page and for a file."""
