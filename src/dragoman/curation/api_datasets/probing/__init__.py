"""Probing of APIs: calls as documented, health checks over time, and a filter by rules."""
