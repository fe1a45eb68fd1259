"""Speech synthesis and speech recognition: embedded, local and hosted engines."""
