"""The conversation loop, its participants, and the language tools of those without a model.

It may import `core`. It knows no benchmark and no voice, and languages only as phrasebooks: words
go through channels, and tools through views.
"""
