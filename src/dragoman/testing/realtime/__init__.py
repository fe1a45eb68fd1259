"""A test server for OpenAI's realtime protocol."""
