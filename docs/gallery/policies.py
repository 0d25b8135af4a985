"""Define the policies for the films in the gallery, which show the purpose of each environment.

Each policy is a class that is created with the environment and called with observations, as `gymkernel render --policy`
expects.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin
from typing import Any

import numpy as np


class Pole:
    """A policy that keeps the pole upright and moves the cart from side to side."""

    def __init__(self, env: Any) -> None:
        self.steps = 0

    def __call__(self, observation: Any) -> int:
        """Push the cart so that the pole leans in the desired direction."""
        self.steps += 1
        place, speed, angle, turning = (float(number) for number in observation)
        aim = 1.2 * sin(self.steps / 45)
        lean = max(-0.12, min(0.12, 0.12 * (aim - place) - 0.14 * speed))
        return int(angle + 0.35 * turning > lean)


class Valley:
    """A policy that accelerates in the direction in which the car already rolls."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Accelerate to the right or to the left."""
        return 2 if observation[1] >= 0 else 0


class ValleyForce(Valley):
    """The policy of `Valley` for continuous actions."""

    def __call__(self, observation: Any) -> Any:
        """Apply the full force of the engine in the direction of the speed."""
        return np.array([1.0 if observation[1] >= 0 else -1.0], np.float32)


class Swing:
    """A policy that swings the pendulum up by controlling its energy, and balances it at the top."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> Any:
        """Return the torque."""
        cosine, sine, turning = (float(number) for number in observation)
        angle = float(np.arctan2(sine, cosine))
        if abs(angle) < 0.5:
            torque = -(16 * angle + 4 * turning)
        else:
            missing = 15 * (1 - cosine) - turning**2 / 2
            torque = 2.0 if missing * (turning or 1.0) > 0 else -2.0
        return np.array([max(-2.0, min(2.0, torque))], np.float32)


class Elbow:
    """A policy that swings the double pendulum up by turning the elbow in the direction of the lower link."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Apply a torque of 1 or -1."""
        return 2 if observation[4] < 0 else 0


class Dealer:
    """A policy that takes cards up to a sum of 17, as dealers do."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Hit or stick."""
        return int(observation[0] < 17)


class Planner:
    """A policy that maximises values, which value iteration computes from the table of transitions."""

    def __init__(self, env: Any) -> None:
        self.table = env.unwrapped.P
        self.values = [0.0] * len(self.table)
        for _ in range(400):
            before = self.values
            self.values = [max(self._worth(state, action) for action in self.table[state]) for state in self.table]
            if self.values == before:
                break

    def _worth(self, state: int, action: int) -> float:
        return sum(
            p * (reward + 0.99 * (not end) * self.values[to]) for p, to, reward, end in self.table[state][action]
        )

    def __call__(self, observation: Any) -> int:
        """Return the action with the highest value."""
        state = int(observation)
        return max(self.table[state], key=lambda action: self._worth(state, action))


class Walker:
    """A policy that walks straight to the target of the grid."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Move along the axis on which the target is farther away."""
        way = observation["target"] - observation["agent"]
        axis = int(abs(way[1]) > abs(way[0]))
        return axis if way[axis] > 0 else axis + 2


class Lander:
    """A policy that lands LunarLander's spacecraft with the heuristic of the plugin."""

    def __init__(self, env: Any) -> None:
        from gymkernel_env_box2d.lunar_lander import heuristic

        self.env, self.heuristic = env, heuristic

    def __call__(self, observation: Any) -> Any:
        """Fire the engines."""
        return self.heuristic(self.env, observation)


class Biped:
    """A policy that makes BipedalWalker's robot walk with the heuristic of the plugin."""

    def __init__(self, env: Any) -> None:
        from gymkernel_env_box2d.bipedal_walker import BipedalWalkerHeuristics

        self.heuristic = BipedalWalkerHeuristics()

    def __call__(self, observation: Any) -> Any:
        """Return the torques of the hips and knees."""
        return self.heuristic.step_heuristic(observation).astype(np.float32)


class Driver:
    """A policy that steers CarRacing's car towards a point of the track ahead, and limits the speed."""

    AHEAD = 6
    SPEED = 35.0

    def __init__(self, env: Any) -> None:
        self.env = env.unwrapped

    def __call__(self, observation: Any) -> Any:
        """Return the steering, the accelerator and the brake."""
        hull, track = self.env.car.hull, self.env.track
        (x, y), speed = hull.position, hypot(*hull.linearVelocity)
        nearest = min(range(len(track)), key=lambda i: hypot(track[i][2] - x, track[i][3] - y))
        _, _, aim_x, aim_y = track[(nearest + self.AHEAD) % len(track)]
        turn = atan2(aim_y - y, aim_x - x) - hull.angle - pi / 2
        turn = atan2(sin(turn), cos(turn))
        limit = self.SPEED * (1 - min(abs(turn), 0.6))
        return np.array([np.clip(-2 * turn, -1, 1), 0.5 * (speed < limit), 0.2 * (speed > limit + 5)], np.float32)


class Balance:
    """A policy that keeps the pole of InvertedPendulum upright with linear feedback of the state."""

    GAINS = (0.74, 5.92, 0.86, 1.0)
    """The gains of a linear-quadratic regulator."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> Any:
        """Return the force on the cart."""
        return self.force(observation, 3.0)

    def force(self, state: Any, limit: float) -> Any:
        """Return the clipped product of the gains and the state."""
        return np.clip([np.dot(self.GAINS, state)], -limit, limit).astype(np.float32)


class DoubleBalance(Balance):
    """A policy that keeps both poles of InvertedDoublePendulum upright with linear feedback of the state."""

    GAINS = (-0.23, -1.51, -4.84, -0.31, -0.78, -0.75)

    def __call__(self, observation: Any) -> Any:
        """Return the force on the cart."""
        angles = np.arctan2(observation[1:3], observation[3:5])
        return self.force([observation[0], *angles, *observation[5:8]], 1.0)


class Reach:
    """A policy that pulls the fingertip of Reacher's arm to the target, as a spring with a damper would."""

    def __init__(self, env: Any) -> None:
        self.env = env.unwrapped

    def __call__(self, observation: Any) -> Any:
        """Return the torques."""
        return self.pull("fingertip", -np.append(observation[8:10], 0.0), 10.0, 0.3)

    def pull(self, body: str, way: Any, strength: float, damping: float) -> Any:
        """Return the actions that move a body along a vector."""
        import mujoco

        model, data = self.env.model, self.env.data
        jacobian, joints = np.zeros((3, model.nv)), model.actuator_trnid[:, 0]
        mujoco.mj_jacBody(model, data, jacobian, None, model.body(body).id)
        torques = (strength * (way @ jacobian) - damping * data.qvel)[model.jnt_dofadr[joints]]
        return np.clip(torques, *model.actuator_ctrlrange.T).astype(np.float32)


class Push(Reach):
    """A policy that moves the tip of Pusher's arm behind the cylinder and pushes the cylinder to the goal."""

    def __call__(self, observation: Any) -> Any:
        """Return the torques."""
        tip, cylinder, goal = observation[14:17], observation[17:20], observation[20:23]
        way = (goal - cylinder) / max(hypot(*(goal - cylinder)[:2]), 0.05)
        aim = cylinder - 0.15 * way
        if hypot(*(tip - aim)[:2]) < 0.12:
            aim = cylinder + 0.1 * way
        return self.pull("tips_arm", aim - tip, 6.0, 0.5)


@dataclass(frozen=True, slots=True)
class Waves:
    """The angles that the joints of a robot follow: sine waves around an offset from the initial pose.

    Attributes:
        frequency: the frequency of all waves in Hz.
        stiffness: the control for each rad between the angle and the wave.
        damping: the control for each rad/s of the joint.
        offsets: the offset of each joint in rad, in the order of the motors.
        amplitudes: the amplitude of each wave in rad.
        phases: the phase of each wave in rad.
    """

    frequency: float
    stiffness: float
    damping: float
    offsets: tuple[float, ...]
    amplitudes: tuple[float, ...]
    phases: tuple[float, ...]


WAVES = {
    "HalfCheetah-v5": Waves(
        0.78,
        2.88,
        0.123,
        (0.27, 0.23, 2.04, 0.75, 0.0, 0.21),
        (0.24, 0.3, 0.1, 0.04, 0.23, -1.26),
        (-0.62, -0.18, 0.75, 0.47, -0.48, -0.22),
    ),
    "Ant-v5": Waves(
        1.26,
        0.12,
        0.112,
        (0.16, 0.1, -2.24, 1.18, 1.55, -1.23, -0.42, -0.51),
        (1.47, 0.77, 0.85, -0.71, 1.35, -1.05, 1.54, -1.23),
        (0.43, 0.38, 1.3, 2.52, -0.6, -2.1, 1.75, -1.59),
    ),
    "Swimmer-v5": Waves(
        0.61,
        2.18,
        0.044,
        (-0.45, -0.53),
        (1.55, 0.77),
        (0.27, -0.15),
    ),
    "Hopper-v5": Waves(
        1.38,
        3.59,
        0.389,
        (1.88, 0.92, 0.13),
        (1.72, 0.27, -0.04),
        (0.77, -1.7, -1.47),
    ),
    "Walker2d-v5": Waves(
        0.49,
        1.29,
        0.225,
        (-0.83, -0.46, 0.66, 1.75, -0.3, 0.75),
        (0.42, -0.11, 2.21, -0.11, -0.41, 0.7),
        (0.44, -0.59, 1.74, 0.94, -0.39, -0.72),
    ),
    "Humanoid-v5": Waves(
        5.74,
        5.21,
        0.181,
        (
            1.66,
            -0.05,
            -0.14,
            -0.02,
            0.96,
            -0.28,
            1.46,
            -0.87,
            0.96,
            -0.45,
            -0.21,
            -2.55,
            -0.29,
            0.71,
            -1.01,
            0.36,
            0.44,
        ),
        (-0.59, 0.72, 0.92, 0.03, 0.69, 0.3, -0.43, -0.06, -2.03, 0.79, 0.65, 0.61, 0.72, -0.36, 0.58, 0.19, 0.21),
        (-0.63, 0.8, 0.96, -0.12, 0.28, 2.65, 1.3, 0.34, -0.36, 0.3, 1.54, 1.98, 0.0, 0.71, -0.46, 0.05, -0.68),
    ),
    "HumanoidStandup-v5": Waves(
        1.56,
        10.47,
        0.008,
        (0.19, -0.29, 0.14, 1.21, 0.2, -2.22, 0.68, -0.4, -0.58, -1.68, 0.83, 0.79, -1.21, 0.55, 0.07, 0.75, -0.36),
        (1.26, 0.3, 0.04, 0.48, 0.11, -0.99, 0.28, 1.12, -0.14, -1.2, 0.84, 0.56, -0.53, 2.02, 0.95, 2.35, -0.09),
        (0.61, 1.03, 0.39, 1.06, -0.58, 2.54, 0.86, -0.35, -0.34, -1.26, 1.53, 1.44, -1.01, -0.4, -0.14, -1.88, 0.36),
    ),
}
"""The waves for each robot. They were found by a random search for the greatest return."""


class Gait:
    """A policy that makes the joints of a MuJoCo robot follow sine waves."""

    def __init__(self, env: Any) -> None:
        self.env, self.waves, self.steps = env.unwrapped, WAVES[env.spec.id], 0
        joints = self.env.model.actuator_trnid[:, 0]
        self.angles, self.speeds = self.env.model.jnt_qposadr[joints], self.env.model.jnt_dofadr[joints]
        self.middle = self.env.init_qpos[self.angles] + self.waves.offsets

    def __call__(self, observation: Any) -> Any:
        """Return the controls of the motors."""
        waves, data = self.waves, self.env.data
        turned = 2 * pi * waves.frequency * self.steps * self.env.dt
        target = self.middle + waves.amplitudes * np.sin(turned + np.array(waves.phases))
        controls = waves.stiffness * (target - data.qpos[self.angles]) - waves.damping * data.qvel[self.speeds]
        self.steps += 1
        return (np.clip(controls, -1, 1) * self.env.model.actuator_ctrlrange[:, 1]).astype(np.float32)
