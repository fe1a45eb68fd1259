"""Consent to irreversible actions: proposals, answers and calls, compared by rules."""
