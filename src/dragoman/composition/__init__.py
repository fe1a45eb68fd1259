"""Composition root: builds everything that one run needs from its configuration."""
