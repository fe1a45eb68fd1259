"""A model in a folder, asked in this process as any other chat model: `local/PATH?adapter=FOLDER`."""
