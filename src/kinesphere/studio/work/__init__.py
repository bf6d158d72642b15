"""Work in child processes: takes, characters, files."""
