"""`python -m holdfast` is the command `holdfast`."""

import sys

from .cli.main import main

sys.exit(main())
