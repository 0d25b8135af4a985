"""Draw charts as HTML and SVG without a plotting library, in the colours of the page's light or dark theme."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["bars", "curves"]

WIDTH, FRAME, LEFT, BOTTOM, LINE = 480, 212, 44, 34, 16
"""The width of a plot of curves, the height of its frame, the margins of the axes, and the height of a line of text."""


def bars(rows: Sequence[tuple[str, float, bool]], unit: str) -> str:
    """Return horizontal bars as HTML that fits any width.

    Args:
        rows: the label and the value of each bar, and whether the bar shows gymkernel.
        unit: the text after each value.
    """
    most = max(value for _, value, _ in rows)
    text = ['<div class="bars">']
    for label, value, ours in rows:
        kind = "ours" if ours else "theirs"
        text.append(
            f'<div class="label">{escape(label)}</div><div class="bar"><span class="{kind}" '
            f'style="width:{max(value / most * 58, 0.4):.1f}%"></span><b>{_number(value)}</b>{escape(unit)}</div>'
        )
    return "\n".join([*text, "</div>"])


def curves(
    lines: Sequence[tuple[str, Sequence[float], Sequence[float]]],
    across: str,
    up: str,
    level: tuple[str, float] | None = None,
    floor: float | None = None,
) -> str:
    """Return curves in a frame as SVG. The labels of the vertical axis and of the curves are above the frame.

    Args:
        lines: the label of each curve, its positions on the horizontal axis, and its values.
        across: the label of the horizontal axis.
        up: the label of the vertical axis.
        level: the label and the value of a horizontal line.
        floor: the start of the vertical axis, or None to start below the smallest value.
    """
    xs = [x for _, places, _ in lines for x in places]
    ys = [y for _, _, values in lines for y in values] + ([level[1]] if level else [])
    least, most = min(ys), max(ys)
    if floor is not None:
        least = floor
    margin = (most - least or 1) * 0.06
    frame = (min(xs), max(xs), least - (margin if floor is None else 0), most + margin)

    top = LINE * (len(lines) + 1 if len(lines) > 1 else 1) + 8
    bottom, height = top + FRAME, top + FRAME + BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        left, right, low, high = frame
        across_ = LEFT + (x - left) / (right - left or 1) * (WIDTH - LEFT - 12)
        return round(across_, 1), round(bottom - (y - low) / (high - low) * FRAME, 1)

    text = [
        f'<svg class="curves" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(up)} by {escape(across)}">'
    ]
    for value in _ticks(frame[2], frame[3]):
        _, y = place(frame[0], value)
        text.append(f'<path class="grid" d="M{LEFT} {y}H{WIDTH - 12}"/>')
        text.append(f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{_number(value)}</text>')
    for value in _ticks(frame[0], frame[1]):
        x, _ = place(value, frame[2])
        text.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{_number(value)}</text>')
    if level:
        _, y = place(frame[0], level[1])
        text.append(f'<path class="level" d="M{LEFT} {y}H{WIDTH - 12}"/>')
        text.append(f'<text x="{WIDTH - 14}" y="{y - 5}" text-anchor="end">{escape(level[0])}</text>')
    for i, (label, places, values) in enumerate(lines):
        path = "L".join("{} {}".format(*place(x, y)) for x, y in zip(places, values, strict=True))
        text.append(f'<path class="curve curve{i}" d="M{path}"><title>{escape(label)}</title></path>')
        if len(lines) > 1:
            text.append(f'<text class="key{i}" x="{LEFT}" y="{11 + LINE * (i + 1)}">{escape(label)}</text>')
    middle = (LEFT + WIDTH - 12) / 2
    text.append(f'<text x="{middle}" y="{height - 3}" text-anchor="middle">{escape(across)}</text>')
    text.append(f'<text x="4" y="11">{escape(up)}</text></svg>')
    return "\n".join(text)


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between two numbers."""
    raw = (high - low) / 5
    size = 10.0 ** len(str(int(raw))) / 10 if raw >= 1 else 10.0 ** -next(i for i in range(9) if raw * 10**i >= 1)
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= raw)
    first = int(low // step)
    return [round(i * step, 9) for i in range(first, int(high // step) + 1) if low <= i * step <= high]


def _number(value: float) -> str:
    if value >= 10_000:
        return f"{value / 1000:,.0f}k"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"
