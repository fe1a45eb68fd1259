"""Plan, execute, resume, score and check runs."""
