"""Audio sets on disk: what a suite's users say, spoken, and what recognizers heard of it."""
