"""The audio of a set: each distinct message is spoken once, and heard once by every recognizer."""
