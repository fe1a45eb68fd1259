"""Chat models: the OpenAI client and its parsers, the litellm client, a cache, a scripted model."""
