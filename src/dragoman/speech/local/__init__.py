"""Local speech engines, each loaded from its own package: Kokoro, Piper, Vosk, Whisper."""
