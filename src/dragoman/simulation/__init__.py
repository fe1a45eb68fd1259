"""The loop and the participants of a conversation.

It knows no benchmark, no language and no voice: words go through channels, tools through views.
"""
