"""The command line: parses options, calls the library and prints results.

`commands` declares the commands and their options and imports little, so that help is fast. The
modules next to it implement the commands and are imported when a command runs.
"""
