"""A stored conversation as its page shows it: turns, words, calls and what they rest on, without a server."""
