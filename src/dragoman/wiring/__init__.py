"""Names become objects; the only reader of environment and configuration."""
