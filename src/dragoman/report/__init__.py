"""What people look at: the HTML report, tables and conversations in a terminal.

It draws what it is handed, and reads no store.
"""
