"""The line between mouth and ear: effects on audio, their presets, nothing of words."""
