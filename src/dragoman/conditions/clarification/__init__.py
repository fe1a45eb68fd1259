"""Clarification questions: the agent asks how a value is written, and the turn goes on."""
