"""What a shell completes: values of options and arguments."""
