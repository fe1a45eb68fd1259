"""Voice as a condition: words become sound, travel, and become words again."""
