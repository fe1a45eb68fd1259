"""Chat models and agents behind their wires, the gate in front of them, and what they cost.

Nothing here knows a conversation: requests go out, replies come back.
"""
