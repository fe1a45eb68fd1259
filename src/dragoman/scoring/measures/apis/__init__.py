"""Measures of calls of APIs against gold calls, as International Tool Calling and Seal-Tools have them."""
