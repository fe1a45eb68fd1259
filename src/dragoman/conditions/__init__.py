"""What a language, a voice or a persona changes on the surfaces of a conversation, as layers.

No layer knows another, no benchmark is known here, and no network.
"""
