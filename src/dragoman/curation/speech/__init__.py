"""Texts of audio sets: what users type as they would say it, with proof that no value was lost."""
