"""Audio effects between speaker and recognizer: noise, room, filters, codecs, packet loss.

No module here handles words: a signal goes in, and a signal comes out.
"""
