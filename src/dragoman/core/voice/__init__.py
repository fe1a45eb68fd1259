"""Speech as records know it: sound, what was recorded, and questions about what was heard."""
