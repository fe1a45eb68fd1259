"""Bytes from the open web, for whoever has an address from data: a document, a model, a redirect.

No address may lead inside, nothing is read without a bound, and nothing that is a secret is kept. It
knows of HTTP alone; what bodies mean is for others to say.
"""
