"""Guarded HTTP access to addresses that come from data.

It connects to public addresses unless others are allowed, checks each redirect, obeys robots.txt
where asked to, and bounds time and size. Calls of model providers go through `models.http`.
"""
