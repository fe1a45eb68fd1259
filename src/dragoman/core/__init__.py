"""Shared records, protocols, errors, content keys and text rules.

It has no clock, no network and no environment variables, and reads only tables in its own folder.
It imports no benchmark; `core.apis` defines the tasks and answers that ITC and `curation` share.
"""
