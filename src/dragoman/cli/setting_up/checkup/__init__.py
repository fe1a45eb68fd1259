"""The parts of `dragoman doctor`: each looks at one kind of thing and changes nothing."""
