"""Audio effects between speaker and recognizer: noise, room, filters, codecs, packet loss.

Nothing here knows words: a signal goes in, and a signal comes out.
"""
