"""Whole experiments in one call: the demonstration, and who lost conversations.

They plan cells and hand them to the engine; nothing is played or scored here itself.
"""
