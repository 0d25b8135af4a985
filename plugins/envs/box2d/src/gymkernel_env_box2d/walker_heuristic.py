"""A controller that makes BipedalWalker's robot walk, with little control of its balance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BipedalWalkerHeuristics"]

STAY_ON_ONE_LEG, PUT_OTHER_DOWN, PUSH_OFF = 1, 2, 3
HIP, KNEE, KNEE_SPEED, CONTACT = 0, 2, 3, 4
"""The positions of a leg's values in the observation, relative to index 4 for the first leg and 9 for the second."""


class BipedalWalkerHeuristics:
    """A state machine that moves one leg forward, puts it down, and pushes off with the other leg."""

    STAY_ON_ONE_LEG, PUT_OTHER_DOWN, PUSH_OFF = STAY_ON_ONE_LEG, PUT_OTHER_DOWN, PUSH_OFF
    SPEED = 0.29
    SUPPORT_KNEE_ANGLE = 0.1

    def __init__(self) -> None:
        self.state = STAY_ON_ONE_LEG
        self.moving_leg, self.supporting_leg = 0, 1
        self.supporting_knee_angle = self.SUPPORT_KNEE_ANGLE
        self.a: NDArray[np.float64] = np.zeros(4)

    def step_heuristic(self, s: Any) -> NDArray[np.float64]:
        """Return the action of shape (4,) for an observation of shape (24,)."""
        hips: list[float | None] = [None, None]
        knees: list[float | None] = [None, None]
        moving, supporting = 4 + 5 * self.moving_leg, 4 + 5 * self.supporting_leg
        if self.state == STAY_ON_ONE_LEG:
            self._stay(s, supporting, hips, knees)
        if self.state == PUT_OTHER_DOWN:
            self._put_down(s, moving, hips, knees)
        if self.state == PUSH_OFF:
            self._push_off(s, supporting, knees)
        wanted = []
        for leg in (0, 1):
            part = 4 + 5 * leg
            hip_target, knee_target = hips[leg], knees[leg]
            hip = 0.9 * (hip_target - s[part]) - 0.25 * s[part + 1] if hip_target else 0.0
            knee = 4.0 * (knee_target - s[part + KNEE]) - 0.25 * s[part + KNEE_SPEED] if knee_target else 0.0
            wanted += [hip - (0.9 * (0 - s[0]) - 1.5 * s[1]), knee - 15.0 * s[3]]
        self.a = np.clip(0.5 * np.array(wanted, np.float64), -1.0, 1.0)
        return self.a

    def _stay(self, s: Any, supporting: int, hips: list[float | None], knees: list[float | None]) -> None:
        """Swing the moving leg forward until the supporting leg is behind the hull."""
        hips[self.moving_leg], knees[self.moving_leg] = 1.1, -0.6
        self.supporting_knee_angle += 0.06 if s[2] > self.SPEED else 0.03
        self.supporting_knee_angle = min(self.supporting_knee_angle, self.SUPPORT_KNEE_ANGLE)
        knees[self.supporting_leg] = self.supporting_knee_angle
        if s[supporting + HIP] < 0.10:
            self.state = PUT_OTHER_DOWN

    def _put_down(self, s: Any, moving: int, hips: list[float | None], knees: list[float | None]) -> None:
        """Lower the moving leg until it touches the ground."""
        hips[self.moving_leg], knees[self.moving_leg] = 0.1, self.SUPPORT_KNEE_ANGLE
        knees[self.supporting_leg] = self.supporting_knee_angle
        if s[moving + CONTACT]:
            self.state = PUSH_OFF
            self.supporting_knee_angle = min(s[moving + KNEE], self.SUPPORT_KNEE_ANGLE)

    def _push_off(self, s: Any, supporting: int, knees: list[float | None]) -> None:
        """Straighten the supporting leg, and swap the legs when it is straight or the hull is fast enough."""
        knees[self.moving_leg], knees[self.supporting_leg] = self.supporting_knee_angle, 1.0
        if s[supporting + KNEE] > 0.88 or s[2] > 1.2 * self.SPEED:
            self.state = STAY_ON_ONE_LEG
            self.moving_leg, self.supporting_leg = self.supporting_leg, self.moving_leg
