"""Guarded HTTP access to addresses that come from data."""
