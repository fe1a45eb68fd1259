"""Rules about a text and its translation, for checks of whole artifacts and of single texts."""
