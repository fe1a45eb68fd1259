"""What studies of trainings print and write."""
