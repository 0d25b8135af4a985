"""A function that draws BipedalWalker's robot and terrain."""

from __future__ import annotations

from typing import Any

from gymkernel_env_box2d.drawing import fill
from gymkernel_env_box2d.walker_constants import SCALE, TERRAIN_HEIGHT, TERRAIN_STEP, VIEWPORT_H, VIEWPORT_W

__all__ = ["draw_walker"]

WIDTH = VIEWPORT_W / SCALE
SKY, WHITE, BLACK, RED, FLAG = (215, 215, 255), (255, 255, 255), (0, 0, 0), (255, 0, 0), (230, 51, 0)
START = TERRAIN_STEP * 3 * SCALE
"""The horizontal position of the flag at the start, in pixels."""


def draw_walker(pygame: Any, env: Any) -> Any:
    """Draw the robot, and the terrain up to the right edge of the view, on a new surface."""
    scroll = env.scroll
    surface = pygame.Surface((VIEWPORT_W + max(0.0, scroll) * SCALE, VIEWPORT_H))
    left, right = scroll * SCALE, scroll * SCALE + VIEWPORT_W
    pygame.draw.polygon(surface, SKY, [(left, 0), (right, 0), (right, VIEWPORT_H), (left, VIEWPORT_H)])
    for polygon, start, end in env.cloud_poly:
        if end >= scroll / 2 and start <= scroll / 2 + WIDTH:
            # Clouds move half as fast as the terrain, because they are meant to be far away.
            fill(pygame, surface, [(x * SCALE + scroll * SCALE / 2, y * SCALE) for x, y in polygon], WHITE)
    for polygon, colour in env.terrain_poly:
        if polygon[1][0] >= scroll and polygon[0][0] <= scroll + WIDTH:
            fill(pygame, surface, [(x * SCALE, y * SCALE) for x, y in polygon], colour)
    _draw_ray(pygame, surface, env)
    for body in env.drawlist:
        for fixture in body.fixtures:
            _draw_fixture(pygame, surface, body, fixture)
    _draw_flag(pygame, surface)
    return pygame.transform.flip(surface, False, True)


def _draw_ray(pygame: Any, surface: Any, env: Any) -> None:
    """Draw a single lidar ray. Successive frames show successive rays, and 80 of every 100 frames show no ray."""
    env.lidar_render = (env.lidar_render + 1) % 100
    number, rays = env.lidar_render, len(env.lidar)
    if number < 2 * rays:
        ray = env.lidar[number] if number < rays else env.lidar[rays - number - 1]
        if hasattr(ray, "p1") and hasattr(ray, "p2"):
            start, end = (ray.p1[0] * SCALE, ray.p1[1] * SCALE), (ray.p2[0] * SCALE, ray.p2[1] * SCALE)
            pygame.draw.line(surface, RED, start, end)


def _draw_fixture(pygame: Any, surface: Any, body: Any, fixture: Any) -> None:
    place, shape = fixture.body.transform, fixture.shape
    path = [(place * vertex * SCALE).tuple for vertex in shape.vertices]
    if len(path) == 2:
        pygame.draw.aaline(surface, body.color1, path[0], path[1])
        return
    fill(pygame, surface, path, body.color1)
    path.append(path[0])
    pygame.draw.polygon(surface, body.color2, path, 1)
    pygame.gfxdraw.aapolygon(surface, path, body.color2)


def _draw_flag(pygame: Any, surface: Any) -> None:
    bottom = TERRAIN_HEIGHT * SCALE
    top = bottom + 50
    pygame.draw.aaline(surface, BLACK, (START, bottom), (START, top))
    cloth = [(START, top), (START, top - 10), (START + 25, top - 5)]
    pygame.draw.polygon(surface, FLAG, cloth)
    pygame.draw.lines(surface, BLACK, False, [*cloth, cloth[0]], 1)
