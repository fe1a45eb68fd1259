"""From what somebody wrote about APIs to documents in one form: OpenAPI, catalogues, the source's own."""
