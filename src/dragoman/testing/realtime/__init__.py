"""A test server that speaks OpenAI's realtime protocol."""
