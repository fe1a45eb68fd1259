"""The only code that writes records to disk."""
