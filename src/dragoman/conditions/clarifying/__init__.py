"""Clarifications: an agent may ask how something is written, and the same turn goes on."""
