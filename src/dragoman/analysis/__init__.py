"""Numbers from scores: no files, no plots, no clock."""
