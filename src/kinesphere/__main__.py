"""Run the command line as ``python -m kinesphere``."""

from kinesphere.cli.main import run

if __name__ == "__main__":
    run()
