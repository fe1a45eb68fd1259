"""Plans: a file that says how a whole dataset is made."""
