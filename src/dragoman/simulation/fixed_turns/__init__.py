"""Fixed turns: what agents without a model do beside calling where a benchmark says what users say."""
