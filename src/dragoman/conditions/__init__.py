"""Layers that change a conversation: language, voice, persona and clarification.

A condition says in which language tools and texts are, whether words are spoken, who the
simulated user is and whether the agent may ask how something is written. No layer knows another
one, no benchmark is known here, and nothing here uses the network.
"""
