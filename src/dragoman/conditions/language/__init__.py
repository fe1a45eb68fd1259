"""A language as a condition: translated artifacts of a domain, and maps back to its own values."""
