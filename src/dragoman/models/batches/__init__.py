"""Requests that a provider answers together, later and cheaper."""
