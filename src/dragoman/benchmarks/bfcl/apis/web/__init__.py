"""The web as agents reach it: a search engine, pages, and their texts."""
