"""Localization of a domain: translated tools, texts and data, and maps back to English values."""
