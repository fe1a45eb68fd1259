"""What is lost between two conditions: how much, at which stage, in which values, with the conversations behind it."""
