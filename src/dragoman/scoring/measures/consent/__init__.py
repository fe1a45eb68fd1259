"""Whether the user agreed, before it was done, to what nobody takes back: proposals, answers, calls."""
