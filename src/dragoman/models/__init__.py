"""Clients of language models: chat, embeddings, realtime, agents behind HTTP, and their costs.

The package may import `core` and `store`. No module here knows a benchmark or a conversation:
modules send requests and return replies.
"""
