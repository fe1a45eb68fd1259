"""What people look at: the HTML report and conversations in a terminal."""
