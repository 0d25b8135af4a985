"""`printable`, which makes text from other sources safe to write to a terminal."""

import re

__all__ = ["printable"]

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ud800-\udfff]")
"""Control characters (C0, DEL, C1), line separators, marks that change the text direction, and lone surrogates."""


def printable(text: str, keep: str = "") -> str:
    r"""Escape characters that control a terminal or reorder its text, in the form that JSON uses.

    JSON text remains equivalent, and text that is already escaped does not change.

    Args:
        text: a text from any source, such as a name in metadata, the message of an exception or a file name.
        keep: characters that are not escaped, such as line breaks.

    >>> print(printable("Box\x1b[2J\u202ea\n"), printable("two\nlines", keep="\n"))
    Box\u001b[2J\u202ea\u000a two
    lines
    """
    return _UNSAFE.sub(lambda match: match[0] if match[0] in keep else f"\\u{ord(match[0]):04x}", text)
