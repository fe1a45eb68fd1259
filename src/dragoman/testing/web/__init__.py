"""A small web of one's own for tests: names that no resolver knows, and paths that answer as they are told."""
