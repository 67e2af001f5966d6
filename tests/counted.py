"""What the environment of a process must have so that coverage counts that process, too: nothing, if nobody counts."""

import os

COUNTED = {name: value for name, value in os.environ.items() if name == "COVERAGE_PROCESS_CONFIG"}
