"""Layers: what one value of an axis changes in a conversation."""

from dragoman.core.layers import (
    ConversationContext,
    InstructionSource,
    Layer,
    ProvidesUserProfile,
    StaticInstructions,
)
from dragoman.core.protocols import Channel, ToolView

__all__ = [
    "Channel",
    "ConversationContext",
    "InstructionSource",
    "Layer",
    "ProvidesUserProfile",
    "StaticInstructions",
    "ToolView",
]
