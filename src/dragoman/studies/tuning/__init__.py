"""What trainings buy: models are trained, played on the same suites before and after, and compared."""
