"""Commands that look after stored runs: check, join and bring them up to date."""
