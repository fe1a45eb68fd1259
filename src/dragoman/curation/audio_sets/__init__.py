"""Audio sets: user messages rewritten as speech with all values, and transcribed."""
