"""The only code that writes records to disk: runs, audio, remembered replies.

What records mean is not known here.
"""
