"""What a run lost: between its conditions, and conversation by conversation."""
