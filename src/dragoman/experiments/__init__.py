"""Whole experiments in one call: failure attribution, judge validation, training studies.

They plan cells and hand them to the engine; nothing is played or scored here.
"""
