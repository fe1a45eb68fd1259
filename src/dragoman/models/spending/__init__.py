"""What a run may spend, and what models cost."""
