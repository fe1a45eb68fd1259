"""Text against every recognizer against agents that hear: the figures of a grid of voices."""
