"""Agents that remember or search: conversations that fill a memory, and a final answer."""
