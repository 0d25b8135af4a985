"""Make text from elsewhere safe to write to a terminal."""

import re

__all__ = ["printable"]

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ud800-\udfff]")
"""Control characters (C0, DEL, C1), line separators, marks that change the direction of text, lone surrogates."""


def printable(text: str, keep: str = "") -> str:
    r"""Escape the characters that act on a terminal or reorder its text, as JSON escapes them.

    JSON stays the same JSON, and text that was escaped already stays as it is.

    Args:
        text: of any origin: a name in metadata, the message of an exception, the name of a file.
        keep: characters that are left as they are, such as line breaks.

    >>> print(printable("Box\x1b[2J\u202ea\n"), printable("two\nlines", keep="\n"))
    Box\u001b[2J\u202ea\u000a two
    lines
    """
    return _UNSAFE.sub(lambda found: found[0] if found[0] in keep else f"\\u{ord(found[0]):04x}", text)
