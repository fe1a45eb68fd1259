"""What a language, a voice or a persona changes on the surfaces of a conversation."""
