"""Answers to queries: asked of several models, ranked by each other, and checked."""
