"""Whole experiments in one call."""
