"""The airline domain of tau2-bench."""
