"""Functions as a model is shown them: documents, native tools, and prompts that ask for text."""
