"""Models that hear and speak over one connection per conversation, by OpenAI's realtime protocol."""
