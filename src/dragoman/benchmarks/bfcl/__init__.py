"""BFCL v4, single turn: calls are read from replies and checked against answers, never executed."""
