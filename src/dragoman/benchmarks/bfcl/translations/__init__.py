"""Questions and functions in other languages: what is translated of them, and how they are played."""
