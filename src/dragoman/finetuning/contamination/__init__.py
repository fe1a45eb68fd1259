"""What rows for training share with an evaluation."""
