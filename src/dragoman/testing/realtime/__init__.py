"""A server that speaks OpenAI's realtime protocol, for tests."""
