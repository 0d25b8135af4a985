"""The function `did_you_mean`, which suggests corrections for misspelt words."""

from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(word: str, choices: Iterable[str], otherwise: str = "", *, most: int = 1) -> str:
    """Suggest the valid words that are most similar to an invalid word.

    Args:
        word: the word that the user wrote.
        choices: the valid words.
        otherwise: the text to return if no valid word is similar.
        most: the maximum number of words to suggest.

    >>> did_you_mean("wraper", ["space", "wrapper"])
    'did you mean wrapper?'
    """
    import difflib  # imported here because the import takes a millisecond and only errors need it

    near = difflib.get_close_matches(word, choices, n=most)
    return f"did you mean {' or '.join(near)}?" if near else otherwise
