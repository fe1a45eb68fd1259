"""Language of conversations: phrasebooks, localized values, translations and correctness."""
