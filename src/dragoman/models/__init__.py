"""Clients of language models: chat, embeddings, realtime, agents behind HTTP, and their costs.

It may import `core` and `store`. Nothing here knows a benchmark or a conversation: requests go
out, replies come back.
"""
