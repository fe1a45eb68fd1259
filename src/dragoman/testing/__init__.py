"""Servers and data for tests of programs that use Dragoman; ships with the package."""
