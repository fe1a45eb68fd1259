"""What the embedded recognizer expects to hear: n-grams of English and of a suite's texts."""
