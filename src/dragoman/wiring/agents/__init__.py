"""Agents as they are written: their names, and what stands behind each kind of them."""
