"""Test servers and test data for programs that use Dragoman; they ship with the package.

The servers listen on this machine and need no key. Of the other packages only `cli` imports them, to
serve the bundled world.
"""
