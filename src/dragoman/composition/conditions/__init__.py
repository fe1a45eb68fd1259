"""Builders of conditions: languages, voices, personas, clarification and further axes."""
