"""`dragoman curate`: datasets of web APIs, step by step."""
