"""What chat models are asked for audio sets, and how strictly their answers are read."""
