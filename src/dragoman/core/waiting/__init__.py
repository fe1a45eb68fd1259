"""What people are told who wait: whom conversations wait for, and which long steps are under way."""
