"""`dragoman figures`: figures of runs as files."""
