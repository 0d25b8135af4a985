"""Functions that sample the race track, which is a curve around the origin from one random checkpoint to the next."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gymkernel_env_box2d.car_constants import (
    BORDER,
    BORDER_MIN_COUNT,
    SCALE,
    TRACK_DETAIL_STEP,
    TRACK_RAD,
    TRACK_TURN_RATE,
    TRACK_WIDTH,
)

if TYPE_CHECKING:
    import numpy as np

__all__ = ["START_ALPHA", "Section", "border_quad", "find_loop", "has_border", "road_quad", "sample_checkpoints"]
__all__ += ["is_closed", "trace_curve"]

Section = tuple[float, float, float, float]
"""A point of the track: its polar angle, the direction of the track at this point, and its two coordinates."""
Point = tuple[float, float]
CHECKPOINTS = 12
FULL = 2 * math.pi
START_ALPHA = FULL * (-0.5) / CHECKPOINTS
LONGEST = 2500
"""The maximum number of sections in a curve, whether or not the curve is closed."""


def sample_checkpoints(np_random: np.random.Generator) -> list[tuple[float, float, float]]:
    """Sample the checkpoints as (angle, x, y). The first and the last checkpoint are far from the origin."""
    checkpoints = []
    for i in range(CHECKPOINTS):
        noise = np_random.uniform(0, FULL * 1 / CHECKPOINTS)
        alpha = FULL * i / CHECKPOINTS + noise
        radius = np_random.uniform(TRACK_RAD / 3, TRACK_RAD)
        if i == 0:
            alpha, radius = 0.0, 1.5 * TRACK_RAD
        elif i == CHECKPOINTS - 1:
            alpha, radius = FULL * i / CHECKPOINTS, 1.5 * TRACK_RAD
        checkpoints.append((alpha, radius * math.cos(alpha), radius * math.sin(alpha)))
    return checkpoints


@dataclass(slots=True)
class _Guide:
    """A cursor that finds the checkpoint towards which a curve turns next."""

    checkpoints: list[tuple[float, float, float]]
    index: int = 0

    def find(self, alpha: float) -> tuple[float, float, float]:
        """Return a point's polar angle, reduced by complete turns if necessary, and the next checkpoint's position."""
        count = len(self.checkpoints)
        while True:
            while True:
                angle, x, y = self.checkpoints[self.index % count]
                if alpha <= angle:
                    return alpha, x, y
                self.index += 1
                if self.index % count == 0:
                    break
            alpha -= FULL


def trace_curve(checkpoints: list[tuple[float, float, float]]) -> list[Section]:
    """Return a curve that turns towards one checkpoint after another, for about five laps."""
    guide = _Guide(checkpoints)
    track: list[Section] = []
    x, y, beta = 1.5 * TRACK_RAD, 0.0, 0.0
    laps, far_side = 0, False
    while laps <= 4 and len(track) < LONGEST:
        alpha = math.atan2(y, x)
        if far_side and alpha > 0:
            laps += 1
            far_side = False
        if alpha < 0:
            far_side = True
            alpha += FULL
        alpha, goal_x, goal_y = guide.find(alpha)
        right_x, right_y = math.cos(beta), math.sin(beta)
        offset = right_x * (goal_x - x) + right_y * (goal_y - y)
        while beta - alpha > 1.5 * math.pi:
            beta -= FULL
        while beta - alpha < -1.5 * math.pi:
            beta += FULL
        before = beta
        offset *= SCALE
        if abs(offset) > 0.3:
            beta -= math.copysign(min(TRACK_TURN_RATE, abs(0.001 * offset)), offset)
        x += -right_y * TRACK_DETAIL_STEP
        y += right_x * TRACK_DETAIL_STEP
        track.append((alpha, before * 0.5 + beta * 0.5, x, y))
    return track


def find_loop(curve: list[Section]) -> tuple[int, int] | None:
    """Return the start and end indices of the last complete lap in a curve, or None if the curve has no such lap."""
    passes = [i for i in range(1, len(curve)) if curve[i - 1][0] <= START_ALPHA < curve[i][0]]
    return (passes[-2], passes[-1]) if len(passes) > 1 else None


def is_closed(track: list[Section]) -> bool:
    """Return whether the start and the end of a lap are close to each other."""
    (_, beta, x, y), (_, _, end_x, end_y) = track[0], track[-1]
    apart = (math.cos(beta) * (x - end_x), math.sin(beta) * (y - end_y))
    return math.sqrt(apart[0] * apart[0] + apart[1] * apart[1]) <= TRACK_DETAIL_STEP


def has_border(track: list[Section]) -> list[bool]:
    """Return which sections have a red and white border: the sections in and just before sharp turns."""
    count = len(track)
    turns = [track[i][1] - track[i - 1][1] for i in range(count)]
    sharp = []
    for i in range(count):
        recent = [turns[i - before] for before in range(BORDER_MIN_COUNT)]
        same_side = all(turn > 0 for turn in recent) or all(turn < 0 for turn in recent)
        sharp.append(same_side and all(abs(turn) > TRACK_TURN_RATE * 0.2 for turn in recent))
    border = list(sharp)
    for i in range(count):
        for before in range(BORDER_MIN_COUNT):
            border[i - before] |= border[i]
    return border


def road_quad(track: list[Section], i: int) -> list[Point]:
    """Return the corners of the tile between section `i` and the previous section."""
    (_, beta1, x1, y1), (_, beta2, x2, y2) = track[i], track[i - 1]
    cos1, sin1, cos2, sin2 = math.cos(beta1), math.sin(beta1), math.cos(beta2), math.sin(beta2)
    width = TRACK_WIDTH
    left, right = (x1 - width * cos1, y1 - width * sin1), (x1 + width * cos1, y1 + width * sin1)
    return [left, right, (x2 + width * cos2, y2 + width * sin2), (x2 - width * cos2, y2 - width * sin2)]


def border_quad(track: list[Section], i: int) -> list[Point]:
    """Return the corners of the border of tile `i`, which lies on the inside of the turn."""
    (_, beta1, x1, y1), (_, beta2, x2, y2) = track[i], track[i - 1]
    side = (beta2 > beta1) - (beta2 < beta1)
    near, far = side * TRACK_WIDTH, side * (TRACK_WIDTH + BORDER)
    return [
        (x1 + near * math.cos(beta1), y1 + near * math.sin(beta1)),
        (x1 + far * math.cos(beta1), y1 + far * math.sin(beta1)),
        (x2 + far * math.cos(beta2), y2 + far * math.sin(beta2)),
        (x2 + near * math.cos(beta2), y2 + near * math.sin(beta2)),
    ]
