"""The retail domain of tau2-bench."""
