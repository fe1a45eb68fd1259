"""`dragoman view`: a local server over runs. It is started and ended here, and nothing else."""
