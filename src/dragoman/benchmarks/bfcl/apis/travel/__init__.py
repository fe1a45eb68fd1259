"""Flights, credit cards and a travel budget."""
