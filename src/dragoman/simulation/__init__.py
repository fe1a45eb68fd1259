"""The loop and the participants of a conversation."""
