"""Conversations and their measures as work for a crew: what workers open, are given, and answer.

Here may live what turns one item of a run into bytes and back, on both sides.
"""
