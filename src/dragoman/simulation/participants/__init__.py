"""Participants of a conversation: LLM, human, Python function, oracle, baselines, scripted user."""
