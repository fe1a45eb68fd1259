"""Guarded HTTP access to addresses that come from data.

It connects only to public addresses unless others are allowed, checks each redirect, obeys
robots.txt on request, and limits time and size. Calls of model providers go through `models.http`.
"""
