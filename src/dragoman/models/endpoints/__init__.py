"""Endpoint policy: retries, rate limits, adaptive concurrency, circuit breaking, load balancing.

The package decides when a call is sent and to which endpoint, and parses the reason of a rejection.
"""
