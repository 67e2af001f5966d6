"""Lengths of time as people read them, the same in every view."""

from math import isfinite


def duration(seconds: float) -> str:
    """A length of time in its two largest units: `12s`, `2m 14s`, `1h 03m`, `3d 4h`."""
    whole = max(int(seconds), 0)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole // 60 % 60:02}m"
    return f"{whole // 86400}d {whole // 3600 % 24}h"


def age(seconds: float) -> str:
    """How long ago something was, in its largest unit: `12s ago`, `3m ago`; a dash for a time that no calendar has."""
    return f"{duration(seconds).partition(' ')[0]} ago" if isfinite(seconds) else "-"


def exact_duration(seconds: float) -> str:
    """The same to the nearest second, and with tenths where it is short: `0.4s`, `45s`."""
    return f"{max(seconds, 0):.1f}s" if seconds < 9.95 else duration(round(seconds))
