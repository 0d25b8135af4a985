"""The function `colorize`, which adds colour codes (ECMA-48 SGR) to text for a terminal."""

_COLORS = ("gray", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "crimson")
color2num = dict(zip(_COLORS, (*range(30, 38), 38), strict=True))


def colorize(string: str, color: str, bold: bool = False, highlight: bool = False) -> str:
    r"""Add colour codes to a text, so that a terminal shows the text in colour.

    Args:
        string: the text.
        color: gray, red, green, yellow, blue, magenta, cyan, white or crimson.
        bold: whether to use bold type.
        highlight: whether to colour the background instead of the text.

    Raises:
        KeyError: if the colour is unknown.

    >>> colorize("fine", "green", bold=True)
    '\x1b[32;1mfine\x1b[0m'
    """
    codes = [str(color2num[color] + 10 * highlight)] + ["1"] * bold
    return f"\x1b[{';'.join(codes)}m{string}\x1b[0m"
