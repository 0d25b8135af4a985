"""Constants for the sizes, forces and colours of LunarLander."""

from __future__ import annotations

__all__ = ["CHUNKS", "DARK", "FPS", "INITIAL_RANDOM", "LANDER_POLY", "LEG_AWAY", "LEG_DOWN", "LEG_H"]
__all__ += ["LEG_SPRING_TORQUE", "LEG_W", "LIGHT", "MAIN_ENGINE_POWER", "MAIN_ENGINE_Y_LOCATION", "SCALE"]
__all__ += ["SIDE_ENGINE_AWAY", "SIDE_ENGINE_HEIGHT", "SIDE_ENGINE_POWER", "VIEWPORT_H", "VIEWPORT_W"]

FPS = 50
SCALE = 30.0
"""The number of pixels per unit of length in Box2D. The sizes below are in pixels."""
VIEWPORT_W, VIEWPORT_H = 600, 400
CHUNKS = 11
"""The number of points that define the terrain."""

MAIN_ENGINE_POWER, SIDE_ENGINE_POWER = 13.0, 0.6
MAIN_ENGINE_Y_LOCATION = 4
SIDE_ENGINE_HEIGHT, SIDE_ENGINE_AWAY = 14, 12
INITIAL_RANDOM = 1000.0
"""The maximum of each component of the force that pushes the lander at the start."""

LANDER_POLY = [(-14, 17), (-17, 0), (-17, -10), (17, -10), (17, 0), (14, 17)]
LEG_AWAY, LEG_DOWN = 20, 18
LEG_W, LEG_H = 2, 8
LEG_SPRING_TORQUE = 40

LIGHT, DARK = (128, 102, 230), (77, 77, 128)
"""The colours of the lander: the fill colour and the edge colour."""
