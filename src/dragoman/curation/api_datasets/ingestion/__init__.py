"""Ingestion of API documents: OpenAPI, catalogs and the format of ITC, deduplicated."""
