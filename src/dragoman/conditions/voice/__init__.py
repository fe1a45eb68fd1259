"""Voice as a condition: text to speech, audio effects, speech recognition and back to text."""
