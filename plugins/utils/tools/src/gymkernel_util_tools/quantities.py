"""Functions that format quantities with three significant digits and a unit."""

from __future__ import annotations

__all__ = ["duration", "number", "ratio", "size"]


def number(value: float) -> str:
    """Format a count with the suffix k, M or G.

    Args:
        value: the count.

    >>> number(1234567), number(48_300), number(812.4), number(9.87)
    ('1.23 M', '48.3 k', '812', '9.87')
    """
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= 0.9995 * factor:
            return f"{ratio(value / factor)} {unit}"
    return ratio(value)


def duration(seconds: float) -> str:
    """Format a duration in s, ms, us or ns.

    Args:
        seconds: the duration in seconds.

    >>> duration(1.5), duration(0.00123), duration(4.56e-5), duration(9.1e-8), duration(0)
    ('1.50 s', '1.23 ms', '45.6 us', '91.0 ns', '0 s')
    """
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if seconds >= 0.9995 * factor:
            return f"{ratio(seconds / factor)} {unit}"
    return "0 s"


def size(count: int) -> str:
    """Format a number of bytes in MB (of 1024 kB) or GB. Sizes below 0.1 MB are all shown as "<0.1 MB".

    Args:
        count: the number of bytes.

    >>> size(49 * 2**20), size(300), size(3 * 2**30)
    ('49.0 MB', '<0.1 MB', '3.00 GB')
    """
    if count >= 0.9995 * 2**30:
        return f"{ratio(count / 2**30)} GB"
    return f"{ratio(count / 2**20)} MB" if count >= 0.1 * 2**20 else "<0.1 MB"


def ratio(value: float) -> str:
    """Format a ratio.

    Args:
        value: the ratio.

    >>> ratio(12.34), ratio(0.8), ratio(123.4)
    ('12.3', '0.80', '123')
    """
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
