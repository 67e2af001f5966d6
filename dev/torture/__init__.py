"""Everything that could break a plan, tried on purpose: `make torture`."""

import sys

from dev import ROOT

if (_tests := str(ROOT / "tests")) not in sys.path:
    sys.path.append(_tests)  # attacks are written once: the tests make each of them, too
