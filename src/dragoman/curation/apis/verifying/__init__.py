"""Whether APIs answer: called as their documents state, looked at again over time, dropped by rules."""
