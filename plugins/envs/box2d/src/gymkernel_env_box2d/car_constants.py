"""Constants for the sizes of the race track and of the images."""

from __future__ import annotations

import math

__all__ = ["BORDER", "BORDER_MIN_COUNT", "FPS", "GRASS_DIM", "MAX_SHAPE_DIM", "PLAYFIELD", "SCALE", "STATE_H"]
__all__ += ["STATE_W", "TRACK_DETAIL_STEP", "TRACK_RAD", "TRACK_TURN_RATE", "TRACK_WIDTH", "VIDEO_H", "VIDEO_W"]
__all__ += ["WINDOW_H", "WINDOW_W", "ZOOM", "ZOOM_FOLLOW"]

STATE_W, STATE_H = 96, 96
VIDEO_W, VIDEO_H = 600, 400
WINDOW_W, WINDOW_H = 1000, 800

FPS = 50
SCALE = 6.0
TRACK_RAD = 900 / SCALE
PLAYFIELD = 2000 / SCALE
"""The distance from the origin to each edge of the field."""
ZOOM = 2.7
ZOOM_FOLLOW = True
TRACK_DETAIL_STEP = 21 / SCALE
TRACK_TURN_RATE = 0.31
TRACK_WIDTH = 40 / SCALE
BORDER = 8 / SCALE
BORDER_MIN_COUNT = 4
GRASS_DIM = PLAYFIELD / 20.0
MAX_SHAPE_DIM = max(GRASS_DIM, TRACK_WIDTH, TRACK_DETAIL_STEP) * math.sqrt(2) * ZOOM * SCALE
