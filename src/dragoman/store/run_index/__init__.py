"""An index of a run's conversations: what lists need, in a file of its own that can be made again.

It knows rows and columns. What a conversation's facets are is the business of whoever fills it in.
"""
