"""The words that installed packages list, how they sound, and how to find those packages."""
