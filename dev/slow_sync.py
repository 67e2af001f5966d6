"""A disk whose sync takes a known time: a library that a process loads before all others waits in each sync."""

import os
import shutil
import subprocess
from pathlib import Path

from dev import NotRun

SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int wait_and_sync(const char *name, int file) {
    int (*sync)(int) = (int (*)(int)) dlsym(RTLD_NEXT, name);
    prctl(PR_SET_TIMERSLACK, 1);
    usleep(atoi(getenv("SYNC_MICROSECONDS")));
    return sync(file);
}

int fdatasync(int file) { return wait_and_sync("fdatasync", file); }
int fsync(int file) { return wait_and_sync("fsync", file); }
"""


def slow_sync_environment(folder: Path, sync_ms: float) -> dict[str, str]:
    """The variables under which each sync of a process takes so many milliseconds more. The library goes into a folder.

    Raises NotRun if no C compiler is installed.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise NotRun("a C compiler is not installed: apt-get install gcc")
    library = folder / "slow_sync.so"
    command = [compiler, "-shared", "-fPIC", "-x", "c", "-o", str(library), "-", "-ldl"]
    subprocess.run(command, input=SOURCE.encode(), check=True)
    os.chmod(library, 0o755)
    return {"LD_PRELOAD": str(library), "SYNC_MICROSECONDS": str(int(sync_ms * 1000))}
