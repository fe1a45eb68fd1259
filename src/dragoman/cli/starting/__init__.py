"""What `run` does beside playing: what it asks for beforehand, and what it holds the result against."""
