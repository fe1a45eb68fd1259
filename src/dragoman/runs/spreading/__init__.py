"""Spreads work over processes and machines: items go out as bytes, results come back to one writer.

Here may live what knows how workers are started, fed and replaced, and what they open to do their work.
What the work is (conversations, scores) is decided where it is opened; nothing here stores anything.
"""
