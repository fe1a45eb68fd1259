"""Commands about what is translated, and into what."""
