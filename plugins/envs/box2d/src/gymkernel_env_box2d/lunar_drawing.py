"""Functions that draw LunarLander and update its exhaust particles."""

from __future__ import annotations

from typing import Any

from gymkernel_env_box2d.drawing import fill
from gymkernel_env_box2d.engine import circleShape
from gymkernel_env_box2d.lunar_constants import SCALE, VIEWPORT_H, VIEWPORT_W

__all__ = ["age_particles", "draw_lander"]

BLACK, WHITE, FLAG = (0, 0, 0), (255, 255, 255), (204, 204, 0)


def age_particles(particles: list[Any]) -> None:
    """Reduce the remaining lifetime of each particle, and update its colour."""
    for particle in particles:
        particle.ttl -= 0.15
        red, other = int(max(0.2, 0.15 + particle.ttl) * 255), int(max(0.2, 0.5 * particle.ttl) * 255)
        particle.color1 = particle.color2 = (red, other, other)


def draw_lander(pygame: Any, env: Any) -> Any:
    """Draw the sky, the particles, the lander and the flags on a new surface."""
    surface = pygame.Surface((VIEWPORT_W, VIEWPORT_H))
    surface.fill(WHITE)
    for polygon in env.sky_polys:
        fill(pygame, surface, [(x * SCALE, y * SCALE) for x, y in polygon], BLACK)
    flags = [_flag(x * SCALE, env.helipad_y * SCALE) for x in (env.helipad_x1, env.helipad_x2)]
    for body in (*env.particles, *env.drawlist):
        for fixture in body.fixtures:
            _draw_fixture(pygame, surface, body, fixture)
            # The edges of the flags are partly transparent. The flags are drawn once per fixture, because the number of
            # times that an edge is drawn changes its pixels.
            for pole, cloth in flags:
                pygame.draw.line(surface, WHITE, *pole)
                fill(pygame, surface, cloth, FLAG)
    return pygame.transform.flip(surface, False, True)


def _flag(x: float, y: float) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the two ends of a flag's pole and the corners of its cloth."""
    top = y + 50
    return [(x, y), (x, top)], [(x, top), (x, top - 10), (x + 25, top - 5)]


def _draw_fixture(pygame: Any, surface: Any, body: Any, fixture: Any) -> None:
    place, shape = fixture.body.transform, fixture.shape
    if isinstance(shape, circleShape):
        centre = place * shape.pos * SCALE
        for colour in (body.color1, body.color2):
            pygame.draw.circle(surface, colour, (centre.x, centre.y), shape.radius * SCALE)
        return
    path = [(place * vertex * SCALE).tuple for vertex in shape.vertices]
    fill(pygame, surface, path, body.color1)
    pygame.draw.aalines(surface, body.color2, True, path)
