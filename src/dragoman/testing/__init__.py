"""Servers and data for tests of programs that use Dragoman; ships with the package.

Nothing of the package depends on it.
"""
