"""The extra `web`: the page and a plan, asked of the real server."""

import json
import re
import subprocess
from urllib.request import urlopen

from holdfast import Board

assert Board(store="plans.db").write({"todos": [{"content": "Read the code"}]}).ok
serve = ["holdfast", "serve", "--port", "0", "--db", "plans.db"]
with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
    try:
        assert server.stdout is not None
        address = next(found[0] for line in server.stdout if (found := re.search(r"http://[\w.:]+/", line)))
        assert b"<script" in urlopen(address, timeout=30).read()
        plans = json.load(urlopen(f"{address}api/sessions", timeout=30))
        assert "default" in json.dumps(plans), plans
    finally:
        server.terminate()
