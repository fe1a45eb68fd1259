"""The telecom domain of tau2-bench."""
