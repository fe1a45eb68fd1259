"""The conversation loop, its participants, and the language tools of those without a model.

It may import `core`. It knows no benchmark, no language and no voice: words go through channels,
tools through views.
"""
