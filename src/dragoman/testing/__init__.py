"""Test servers and test data for programs that use Dragoman; they ship with the package."""
