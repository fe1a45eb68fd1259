"""A judge's review of the errors in a conversation: how it is asked for, read and kept."""
