"""Convert plain-text equations from docstrings to MathML, which needs no network access, scripts or fonts.

>>> from equations import mathml
>>> mathml("x ← x + v")
'<math display="block"><mi>x</mi><mo>←</mo><mi>x</mi><mo>+</mo><mi>v</mi></math>'

Adjacent factors form a product, `a b / c` is a fraction, and `'` is a derivative with respect to time. Small digits are
indices (₁) and powers (²). The text after a comma is a remark.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_equation", "mathml"]

LOW: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
MINUS: Final = "\N{MINUS SIGN}"
HIGH: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<function>sin|cos)(?P<power>[²³]?)"
    r"|(?P<name>[A-Za-z\u0391-\u03c9])(?P<low>[₀-₉]*)(?P<primes>'*)(?P<high>[²³]?)|(?P<sign>[-+=←/()]))"
)


def is_equation(line: str) -> bool:
    """Return whether a line can be displayed as mathematics."""
    try:
        mathml(line)
    except ValueError:
        return False
    return True


def mathml(line: str) -> str:
    """Convert one equation to MathML that is displayed on a line of its own.

    Args:
        line: the equation, with an optional remark after a comma.

    Raises:
        ValueError: if the line is not an equation.
    """
    equation, comma, remark = line.strip().partition(", ")
    parser = _Parser(equation)
    markup = parser.expression()
    if parser.kind not in {"=", "←"}:
        raise ValueError(f"Expected an equation with = or ←, got {line!r}")
    markup += f"<mo>{parser.take()}</mo>" + parser.expression()
    if parser.kind:
        raise ValueError(f"Expected the end of {equation!r}, got {parser.kind!r}")
    if comma:
        markup += f"<mo>,</mo><mspace width='1em'/><mtext>{escape(remark)}</mtext>"
    return f'<math display="block">{markup}</math>'


class _Parser:
    """A recursive-descent parser. Each method parses the construct in its name and returns MathML."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._inside: dict[str, str] = {}
        self._advance()

    def _advance(self) -> None:
        self._token = next(self._tokens, None)
        token = self._token
        self.kind: str = "" if token is None else token["sign"] or next(k for k, v in token.groupdict().items() if v)

    def take(self) -> str:
        """Return the text of the current token, and go to the next token."""
        text = self._token[0].strip() if self._token else ""
        self._advance()
        return text

    def expression(self) -> str:
        markup = self._sign() if self.kind == "-" else ""
        markup += self._term()
        while self.kind in {"+", "-"}:
            markup += self._sign() + self._term()
        return markup

    def _sign(self) -> str:
        sign = MINUS if self.take() == "-" else "+"
        return f"<mo>{sign}</mo>"

    def _term(self) -> str:
        product = self._product()
        while self.kind == "/":
            self.take()
            product = f"<mfrac><mrow>{self._bare(product)}</mrow><mrow>{self._bare(self._factor())}</mrow></mfrac>"
            if self.kind in {"number", "function", "name", "("}:
                product += self._product()
        return product

    def _bare(self, markup: str) -> str:
        """Remove the brackets around an expression, because a fraction bar makes them unnecessary."""
        return self._inside.get(markup, markup)

    def _product(self) -> str:
        factors = [self._factor()]
        while self.kind in {"number", "function", "name", "("}:
            factors.append(self._factor())
        return "<mspace width='0.15em'/>".join(factors)

    def _factor(self) -> str:
        token = self._token
        if token is None:
            raise ValueError("Expected a number, a name or a bracket, got the end")
        if self.kind == "(":
            self.take()
            inside = self.expression()
            if self.kind != ")":
                raise ValueError("Expected a closing bracket")
            self.take()
            brackets = f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"
            self._inside[brackets] = inside
            return brackets
        if self.kind == "number":
            return f"<mn>{self.take()}</mn>"
        if self.kind == "function":
            name, power = f"<mi>{token['function']}</mi>", token["power"].translate(HIGH)
            self._advance()
            function = f"<msup>{name}<mn>{power}</mn></msup>" if power else name
            return f"{function}<mspace width='0.1em'/>{self._factor()}"
        if self.kind == "name":
            self._advance()
            return _name(
                token["name"], token["low"].translate(LOW), len(token["primes"]), token["high"].translate(HIGH)
            )
        raise ValueError(f"Expected a number, a name or a bracket, got {self.kind!r}")


def _tokens(text: str) -> Iterator[re.Match[str]]:
    position = 0
    while position < len(text.rstrip()):
        token = TOKEN.match(text, position)
        if token is None:
            raise ValueError(f"Expected an equation, got {text!r}")
        yield token
        position = token.end()


def _name(name: str, low: str, primes: int, high: str) -> str:
    base, index = f"<mi>{name}</mi>", f"<mn>{low}</mn>" if low else ""
    raised = "<mo>\N{PRIME}</mo>" * primes + (f"<mn>{high}</mn>" if high else "")
    if index and raised:
        return f"<msubsup>{base}{index}<mrow>{raised}</mrow></msubsup>"
    if index:
        return f"<msub>{base}{index}</msub>"
    return f"<msup>{base}<mrow>{raised}</mrow></msup>" if raised else base
