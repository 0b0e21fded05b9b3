"""``python -m plypilot`` is the command ``plypilot``."""

from plypilot.cli import main

if __name__ == "__main__":
    main()
