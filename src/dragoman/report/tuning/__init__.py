"""What trainings bought, as tables, charts and a page."""
