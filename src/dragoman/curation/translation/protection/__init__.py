"""What must stay as it is: found from a domain's data, hidden before translation, put back after."""
