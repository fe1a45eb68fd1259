"""Fine-tuning of models on example conversations.

Nothing is collected, played or scored here. torch is imported in this package alone, and only where
a model is trained or asked.
"""
