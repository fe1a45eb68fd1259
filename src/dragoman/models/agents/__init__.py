"""Agents of users behind HTTP, and the protocol that they speak."""
