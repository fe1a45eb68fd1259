"""Composition root: builds everything that one run needs from its configuration.

It also reads grid files and estimates costs. It plays nothing: `runs` plays the setups.
"""
