"""Personas: who the simulated user is, and what the agent is told of it."""
