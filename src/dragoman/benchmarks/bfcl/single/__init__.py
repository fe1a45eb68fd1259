"""Questions of a single turn: functions on offer, one reply, a check of its calls."""
