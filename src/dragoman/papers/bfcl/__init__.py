"""Leaderboards of BFCL: its aggregates, and text against voice as BFCL Audio has it."""
