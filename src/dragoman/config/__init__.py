"""Run configuration: options, agent specifications and environment variables."""
