"""Web APIs as functions that agents are offered, natively or in text, and sets of tasks in folders."""
