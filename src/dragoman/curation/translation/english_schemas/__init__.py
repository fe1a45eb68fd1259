"""The schema of a domain in English, where no file holds it: from its modules, records and tools."""
