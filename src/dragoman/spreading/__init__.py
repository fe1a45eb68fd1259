"""Spreads work over processes and machines: items go out as bytes, results come back to one writer.

Here may live what knows how workers are started, fed, watched and replaced. What the work is
(conversations, scores, sounds) is decided where it is opened; nothing here stores anything.
"""
