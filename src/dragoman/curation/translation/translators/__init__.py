"""Who translates: any chat model, or what is known already and nothing else."""
