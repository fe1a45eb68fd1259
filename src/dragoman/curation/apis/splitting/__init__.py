"""Training and test data that share no operation."""
