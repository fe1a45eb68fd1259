"""Local models: a model folder as a chat model, `local/PATH?adapter=FOLDER`."""
