"""A run in one file that can be sent: its data, its audio, and a report that opens without Dragoman."""
