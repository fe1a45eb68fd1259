"""Web APIs as data: what is known of them, what is asked of them, and what they answered."""
