"""Tests of GK80x and GK81x: the rules report environments that break them, but not similar correct environments."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from rendered_walks import Walk

from gymkernel import Env
from gymkernel_tool_check.checks import check

if TYPE_CHECKING:
    from gymkernel_tool_check.checks import Report

pytestmark = pytest.mark.slow  # each test creates many environments or processes


RGB = {"render_modes": ["rgb_array"], "render_fps": 30}


def frame(value: int = 0, shape: tuple[int, ...] = (8, 8, 3), dtype: Any = np.uint8) -> Any:
    return np.full(shape, value, dtype)


class Picture(Walk):
    """An environment that renders a different image at each step."""

    metadata: ClassVar[dict[str, Any]] = RGB  # type: ignore[misc]

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode=render_mode)

    def render(self) -> Any:
        return self.draw() if self.render_mode is not None else None

    def draw(self) -> Any:
        return frame(self.time)


def drawing(draw: Any, *modes: str, **members: Any) -> Any:
    """Create an environment class that renders the given kind of image."""
    metadata = {"render_modes": list(modes or RGB["render_modes"]), "render_fps": 30}  # type: ignore[call-overload]
    return type("Drawing", (Picture,), {"metadata": metadata, "draw": draw, **members})


class OldKeys(Picture):
    metadata: ClassVar[dict[str, Any]] = {"render.modes": ["rgb_array"], "video.frames_per_second": 30}  # type: ignore[misc]


class NoKeys(Picture):
    metadata: ClassVar[dict[str, Any]] = {"name": "walk"}  # type: ignore[misc]


class Undeclared(Picture):
    metadata: ClassVar[dict[str, Any]] = Env.metadata  # type: ignore[misc]


class OneWord(Picture):
    metadata: ClassVar[dict[str, Any]] = {"render_modes": "rgb_array", "render_fps": 30}  # type: ignore[misc]


class NoRate(Picture):
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"]}  # type: ignore[misc]


class RateOfZero(Picture):
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": 0}  # type: ignore[misc]


class TakesNoMode(Picture):
    def __init__(self) -> None:
        super().__init__()


class RefusesMode(Picture):
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 30}  # type: ignore[misc]

    def __init__(self, render_mode: str | None = None) -> None:
        if render_mode not in {None, "rgb_array"}:
            raise ValueError(f"no mode {render_mode}")
        super().__init__(render_mode)


class ForgetsMode(Picture):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__()

    def render(self) -> Any:
        return self.draw()


class StoresElsewhere(Picture):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__()
        self.mode = render_mode

    def render(self) -> Any:
        return self.draw()


class Stumbles(Picture):
    """An environment whose `render` draws from the environment's own generator."""

    def draw(self) -> Any:
        return frame(int(self.np_random.integers(256)))


class Animates(Picture):
    """An environment whose `render` changes the position."""

    def draw(self) -> Any:
        self.place = self.place + 0.1
        return frame(1)


class OneCanvas(Picture):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.canvas = frame()

    def draw(self) -> Any:
        self.canvas[:] = self.time
        return self.canvas


class OneList(Picture):
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array_list"], "render_fps": 30}  # type: ignore[misc]

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.film: list[Any] = []

    def draw(self) -> Any:
        self.film.append(frame(self.time))
        del self.film[:-4]
        return self.film


class NeedsStep(Picture):
    last: Any = None

    def step(self, action: Any) -> Any:
        self.last = action
        return super().step(action)

    def draw(self) -> Any:
        return frame(int(self.last[0] > 0))


class NotImplemented_(Picture):  # noqa: N801
    def draw(self) -> Any:
        raise NotImplementedError


class Zooms(Picture):
    def draw(self) -> Any:
        return frame(0, (8 + self.time % 2, 8, 3))


class ZoomsOnReset(Picture):
    count = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.count = self.count + 1 if seed is None else 0
        return super().reset(seed=seed)

    def draw(self) -> Any:
        return frame(0, (8, 8 + self.count, 3))


class NeedsScreen(Picture):
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array"], "render_fps": 30}  # type: ignore[misc]

    def draw(self) -> Any:
        if self.render_mode == "human":
            raise OSError("cannot connect to X display")
        return frame(self.time)


class NeedsLibrary(Picture):
    def draw(self) -> Any:
        __import__("absent_drawing_library")


class OwnDice(Picture):
    """An environment whose `render` draws random colours from a separate generator."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.dice = np.random.default_rng(0)

    def draw(self) -> Any:
        return frame(int(self.dice.integers(256)))


def text(self: Any) -> Any:
    return f"{self.time}"


def printed(self: Any) -> None:
    sys.stdout.write("x\n")


def several(self: Any) -> Any:
    return [frame(self.time), frame(self.time)]


def shown(self: Any) -> Any:
    return None if self.render_mode == "human" else frame(self.time)


BROKEN: dict[str, list[Any]] = {
    "GK801": [OldKeys, NoKeys, Undeclared, OneWord],
    "GK802": [NoRate, RateOfZero],
    "GK803": [TakesNoMode, RefusesMode],
    "GK804": [ForgetsMode, StoresElsewhere],
    "GK805": [
        drawing(lambda self: frame(0, dtype=np.float32)),
        drawing(lambda self: frame(0, (3, 8, 8))),
        drawing(lambda self: frame(0, (8, 8))),
        drawing(lambda self: frame(0, (8, 8, 4))),
        drawing(lambda self: frame(0, (8, 8), object), "depth_array"),
        drawing(lambda self: [frame(0, (8, 8))], "rgb_array_list"),
    ],
    "GK806": [
        drawing(lambda self: None),
        drawing(lambda self: frame().tolist()),
        drawing(printed, "ansi"),
        drawing(lambda self: frame(), "rgb_array_list"),
    ],
    "GK807": [Stumbles, Animates],
    "GK808": [OneCanvas, OneList],
    "GK809": [NeedsStep, NotImplemented_],
    "GK810": [Zooms, ZoomsOnReset],
    "GK811": [drawing(lambda self: frame(self.time), "human", "rgb_array"), drawing(text, "human")],
}
LEGAL: dict[str, Any] = {
    "picture": Picture,
    "walk": Walk,
    "text": drawing(text, "ansi"),
    "window": drawing(shown, "human", "rgb_array"),
    "films": drawing(several, "rgb_array_list"),
    "depth": drawing(lambda self: frame(self.time, (8, 8), np.float32), "depth_array"),
    "a mode of its own": drawing(lambda self: {"points": []}, "points"),
    "needs a screen": NeedsScreen,
    "needs a library": NeedsLibrary,
    "own dice": OwnDice,
    "no modes": type("Blind", (Walk,), {"metadata": {"render_modes": []}, "render": Env.render}),
}
CASES = [pytest.param(code, env, id=f"{code}-{k}") for code, several in BROKEN.items() for k, env in enumerate(several)]


@functools.cache
def checked(env: Any) -> Report:
    return check(env, steps=60, measure=False)


@pytest.mark.parametrize("code, env", CASES)
def test_rule_reports_the_defect(code: str, env: Any) -> None:
    assert {finding.code for finding in checked(env).findings} == {code}, list(map(str, checked(env).findings))


@pytest.mark.parametrize("code, env", CASES)
def test_program_of_a_finding_runs(code: str, env: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for finding in checked(env).findings:
        program = compile(finding.reproducer, "reproducer", "exec")
        try:
            exec(program, {env.__name__: env})  # noqa: S102
        except Exception as exc:  # noqa: BLE001 - the failure message contains the exception
            assert type(exc).__name__ in finding.message  # noqa: PT017
        else:
            assert capsys.readouterr().out


@pytest.mark.parametrize("env", [pytest.param(env, id=name) for name, env in LEGAL.items()])
def test_legal_targets_have_no_findings(env: Any) -> None:
    assert not checked(env).findings, list(map(str, checked(env).findings))


def test_unavailable_rendering_is_skipped_with_a_reason() -> None:
    assert "cannot connect to X display" in checked(NeedsScreen).skipped["GK811"]
    assert "absent_drawing_library" in checked(NeedsLibrary).skipped["GK805"]
    assert checked(LEGAL["no modes"]).skipped["GK803"] == "metadata declares no render modes"


def test_printed_text_is_reported() -> None:
    message = checked(BROKEN["GK806"][2]).findings[0].message
    assert message == "render mode ansi: expected a text, got None, after the first reset; it printed 'x\\n' instead"


def test_function_without_render_mode_is_legal() -> None:
    report = check(lambda: Picture(), steps=60, measure=False)  # noqa: PLW0108 - the checker calls the function without arguments
    assert not report.findings
    assert (
        report.skipped["GK803"]
        == "render mode rgb_array: the function that creates the environment does not accept render_mode"
    )


def test_single_instance_with_a_render_mode_is_checked() -> None:
    assert [finding.code for finding in check(OneCanvas("rgb_array"), select=["GK80"], measure=False).findings] == [
        "GK808"
    ]
