"""Training models on rows of conversations, and showing what it bought.

Nothing is collected, played or scored here. torch is imported in this room alone, and only where a model
is trained or asked.
"""
