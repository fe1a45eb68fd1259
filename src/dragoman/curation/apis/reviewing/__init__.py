"""People verify queries: who is given which, what they say of them, and what that decides."""
