"""A run's results as polars data frames."""
