"""tau2-bench: conversations with tools, a user and a database."""
