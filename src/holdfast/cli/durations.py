"""How long things took, in words."""

_UNITS = ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "m"), (60, "m", 1, "s"))


def duration(seconds: float) -> str:
    """A span of time in its two largest units: `0.4s`, `45s`, `2m 03s`, `1h 05m`, `3d 04h`."""
    if seconds < 9.95:
        return f"{max(seconds, 0):.1f}s"
    whole = round(seconds)
    for size, unit, smaller, its_unit in _UNITS:
        if whole >= size:
            return f"{whole // size}{unit} {whole % size // smaller:02d}{its_unit}"
    return f"{whole}s"
