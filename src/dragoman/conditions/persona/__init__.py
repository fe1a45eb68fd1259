"""Personas: profiles of simulated users, and the user profile that an agent is given."""
