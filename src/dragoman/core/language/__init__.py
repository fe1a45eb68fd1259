"""What is known of languages: how things are worded, what is translated, how use is judged."""
