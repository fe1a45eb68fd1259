"""Endpoint policy: retries, rate limits, adaptive concurrency, circuit breaking, load balancing.

It decides when a call is sent and to which endpoint, and reads why an endpoint rejected one.
"""
