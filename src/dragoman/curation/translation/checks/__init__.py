"""What came back from a translator, judged text by text without a model."""
