"""The function `printable`, which makes untrusted text safe to print on a terminal."""

import re

__all__ = ["printable"]

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ud800-\udfff]")
"""Matches control characters (C0, DEL, C1), line separators, text direction marks and lone surrogates."""


def printable(text: str, keep: str = "") -> str:
    r"""Escape the characters in a text that could control the terminal or reorder its text.

    The same escape sequences are used as in JSON, so the meaning of JSON text does not change. Text that is already
    escaped remains the same.

    Args:
        text: a text from any source, such as a file name or the message of an exception.
        keep: characters that are not escaped, such as line breaks.

    >>> print(printable("Box\x1b[2J\u202ea\n"), printable("two\nlines", keep="\n"))
    Box\u001b[2J\u202ea\u000a two
    lines
    """
    return _UNSAFE.sub(lambda match: match[0] if match[0] in keep else f"\\u{ord(match[0]):04x}", text)
