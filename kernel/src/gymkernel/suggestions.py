"""Suggestions for misspelt words."""

from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(word: str, choices: Iterable[str], otherwise: str = "", *, most: int = 1) -> str:
    """Return a question that suggests the choices whose spelling is most similar to a word.

    Args:
        word: the word that the user wrote.
        choices: the valid words.
        otherwise: the result if no choice is similar to the word.
        most: the maximum number of choices in the question.

    >>> did_you_mean("wraper", ["space", "wrapper"])
    'did you mean wrapper?'
    """
    import difflib  # takes a millisecond, and only errors need this module

    near = difflib.get_close_matches(word, choices, n=most)
    return f"did you mean {' or '.join(near)}?" if near else otherwise
