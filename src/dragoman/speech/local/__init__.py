"""Engines on this machine that a person names by path: Piper, Kokoro, Vosk, Whisper."""
