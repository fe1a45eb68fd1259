"""Shared records, protocols, errors, content keys and text rules.

The package has no clock, no network and no environment variables. It reads only tables in its own
folder and imports no benchmark. `core.apis` defines the tasks and answers that ITC and `curation`
share.
"""
