"""Test playing without a display, by posting events and inspecting frames and actions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import numpy as np
import pygame
import pytest
from click.testing import CliRunner

from gymkernel import Env, Space
from gymkernel.error import DependencyNotInstalled
from gymkernel.utils.play import MissingKeysToAction, PlayableGame, PlayPlot, display_arr, play
from gymkernel_tool_play.command import command
from gymkernel_tool_play.keys import actions_of, keys_of, keys_or_digits

if TYPE_CHECKING:
    from collections.abc import Callable

A, D = ord("a"), ord("d")


class Numbers(Space[int]):
    def sample(self, mask: Any = None, probability: Any = None) -> int:
        return 0

    def contains(self, x: Any) -> bool:
        return x in range(4)


class Game(Env[int, int]):
    """An environment whose frames show the number of steps. Episodes have three steps."""

    metadata = {"render_modes": ["rgb_array", "human"], "render_fps": 500}  # noqa: RUF012 - the API requires a class attribute
    action_space = Numbers()

    def __init__(
        self, render_mode: str | None = "rgb_array", script: dict[int, Callable[[], None]] | None = None
    ) -> None:
        self.render_mode, self.script = render_mode, script or {}
        self.actions: list[Any] = []
        self.resets: list[int | None] = []
        self.steps = self.frames = 0
        self.closed = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.resets.append(seed)
        self.steps = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.actions.append(action)
        self.steps += 1
        return self.steps, 1.0, self.steps == 3, False, {}

    def render(self) -> Any:
        """Call the function that the test's script has for this frame, and return the frame."""
        self.frames += 1
        self.script.get(self.frames, lambda: None)()
        return np.full((20, 30, 3), 10 * self.steps, np.uint8)

    def close(self) -> None:
        self.closed = True


class Discrete(Numbers):
    def __init__(self, n: int, start: int) -> None:
        super().__init__((), np.int64)
        self.n, self.start = n, start


class Keyed(Game):
    def get_keys_to_action(self) -> dict[Any, int]:
        return {"a": 1, (D,): 2, ("a", "d"): 3}


def press(*codes: int) -> Callable[[], None]:
    return lambda: [pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code)) for code in codes]  # type: ignore[return-value]


def release(*codes: int) -> Callable[[], None]:
    return lambda: [pygame.event.post(pygame.event.Event(pygame.KEYUP, key=code)) for code in codes]  # type: ignore[return-value]


ESCAPE = press(pygame.K_ESCAPE)


@pytest.fixture(autouse=True)
def _no_window_is_left() -> Any:
    yield
    pygame.display.quit()


class TestKeys:
    @pytest.mark.parametrize("keys", ["ad", "da", ("a", "d"), (A, D), (D, "a")])
    def test_key_combinations_have_no_order(self, keys: Any) -> None:
        assert keys_of(None, {keys: 1}) == {(A, D): 1}

    def test_keys_are_found_through_wrappers(self) -> None:
        from gymkernel import Wrapper

        assert keys_of(Wrapper(Keyed())) == {(A,): 1, (D,): 2, (A, D): 3}

    def test_missing_keys_error_says_what_to_pass(self) -> None:
        with pytest.raises(MissingKeysToAction, match="pass keys_to_action, for example"):
            keys_of(Game())

    def test_environment_with_keys_of_none_has_no_keys(self) -> None:
        env = Keyed()
        env.get_keys_to_action = lambda: None  # type: ignore[assignment, return-value]
        with pytest.raises(MissingKeysToAction, match="pass keys_to_action, for example"):
            keys_of(env)

    def test_keys_must_be_a_mapping(self) -> None:
        with pytest.raises(TypeError, match=r"Expected keys_to_action to be a dictionary such as .*, got \['a'\]"):
            keys_of(Game(), ["a"])  # type: ignore[arg-type]

    @pytest.mark.parametrize("taking", [actions_of, keys_or_digits, lambda env, keys: play(env, keys_to_action=keys)])
    def test_keys_must_map_to_actions(self, taking: Any) -> None:
        with pytest.raises(ValueError, match="got 7 for 'a'"):
            taking(Game(), {"a": 7})

    def test_playable_game_does_not_validate_actions(self) -> None:
        game = PlayableGame(Game(), {"a": 7})
        game.process_event(pygame.event.Event(pygame.KEYDOWN, key=A))
        assert game.action(0) == 7

    def test_discrete_actions_get_digit_keys_by_default(self) -> None:
        env = Game()
        env.action_space = Discrete(3, start=1)
        assert keys_or_digits(env) == {(ord("0"),): 1, (ord("1"),): 2, (ord("2"),): 3}
        assert keys_or_digits(env, {"a": 1}) == {(A,): 1}
        assert keys_or_digits(Keyed()) == keys_of(Keyed())

    def test_other_action_spaces_get_no_default_keys(self) -> None:
        with pytest.raises(MissingKeysToAction):
            keys_or_digits(Game())

    def test_invalid_key_is_rejected(self) -> None:
        with pytest.raises(TypeError, match="Expected keys as characters or as codes"):
            keys_of(None, {("left",): 1})


class TestGame:
    def test_window_size_follows_frame_and_zoom(self) -> None:
        assert PlayableGame(Keyed()).video_size == (30, 20)
        assert PlayableGame(Keyed(), zoom=2.5).screen.get_size() == (75, 50)

    @pytest.mark.parametrize("zoom", [0, -1.5, float("nan")])
    def test_zoom_must_be_positive(self, zoom: float) -> None:
        with pytest.raises(ValueError, match="Expected zoom to be a number above 0"):
            PlayableGame(Keyed(), zoom=zoom)

    @pytest.mark.parametrize("x, y, expected", [(300, 200, (300, 200)), (90, 400, (90, 60)), (400, 30, (45, 30))])
    def test_frames_keep_their_aspect_ratio(self, x: int, y: int, expected: Any) -> None:
        game = PlayableGame(Keyed(), zoom=2)
        for size in ((7, 500), (x, y)):
            game.process_event(pygame.event.Event(pygame.WINDOWRESIZED, x=size[0], y=size[1]))
        assert (game.video_size, game.original_video_size) == (expected, (60, 40))

    def test_pressed_keys_select_the_action(self) -> None:
        game = PlayableGame(Keyed())
        actions = [game.action(0)]
        for kind, key in [("KEYDOWN", A), ("KEYDOWN", ord("x")), ("KEYDOWN", D), ("KEYDOWN", D), ("KEYUP", A)]:
            game.process_event(pygame.event.Event(getattr(pygame, kind), key=key))
            actions.append(game.action(0))
        assert actions == [0, 1, 1, 3, 3, 2]

    @pytest.mark.parametrize("event", [{"type": "KEYDOWN", "key": pygame.K_ESCAPE}, {"type": "QUIT"}])
    def test_escape_and_quit_end_the_game(self, event: dict[str, Any]) -> None:
        game = PlayableGame(Keyed())
        game.process_event(pygame.event.Event(getattr(pygame, event.pop("type")), **event))
        assert not game.running

    @pytest.mark.parametrize("mode", [None, "human"])
    def test_other_render_modes_are_rejected(self, mode: str | None) -> None:
        with pytest.raises(ValueError, match=f"rgb_array and rgb_array_list render modes, got {mode!r}"):
            PlayableGame(Keyed(mode))

    @pytest.mark.parametrize("transpose", [True, False])
    @pytest.mark.parametrize("dtype", [np.uint8, np.float32])
    def test_display_arr_draws_at_the_right_place(self, transpose: bool, dtype: Any) -> None:
        picture = np.zeros((20, 30, 3), dtype)
        picture[5, 25] = 255
        screen = pygame.Surface((60, 40))
        display_arr(screen, picture if transpose else picture.swapaxes(0, 1), (60, 40), transpose)
        assert screen.get_at((51, 11))[:3] == (255, 255, 255)
        assert screen.get_at((11, 11))[:3] == (0, 0, 0)

    def test_array_is_centred_on_a_black_surface(self) -> None:
        screen = pygame.Surface((60, 40))
        screen.fill((9, 9, 9))
        display_arr(screen, np.full((10, 10, 3), 255, np.uint8), (20, 20), True)
        lit: Any = pygame.surfarray.array3d(screen).max(axis=2) > 0
        assert lit[20:40, 10:30].all()
        assert lit.sum() == 400


class TestPlay:
    def test_pressed_keys_act_over_several_episodes(self) -> None:
        env = Keyed(script={3: press(A), 4: press(D), 6: release(A, D), 9: ESCAPE})
        play(env, seed=5)
        assert env.actions == [0, 0, 1, 3, 0, 0]
        assert env.resets == [5, None, None]
        assert env.closed

    def test_callback_gets_every_step(self) -> None:
        seen: list[Any] = []
        play(Keyed(script={4: ESCAPE}), callback=lambda *step: seen.append(step))
        assert seen == [
            (0, 1, 0, 1.0, False, False, {}),
            (1, 2, 0, 1.0, False, False, {}),
            (2, 3, 0, 1.0, True, False, {}),
        ]

    def test_wait_on_player_waits_for_a_key(self) -> None:
        env = Keyed(script={5: press(A), 7: ESCAPE})
        play(env, wait_on_player=True)
        assert env.actions == [1, 1]

    @pytest.mark.parametrize("wait", [False, True])
    def test_play_without_keys_ends_on_quit(self, wait: bool) -> None:
        env = Game(script={4: ESCAPE})
        play(env, keys_to_action={}, wait_on_player=wait)
        assert env.closed
        assert env.actions == ([] if wait else [0] * len(env.actions))

    def test_error_closes_the_environment(self) -> None:
        env = Game()
        with pytest.raises(MissingKeysToAction):
            play(env)
        assert env.closed

    @pytest.mark.filterwarnings("ignore:.*noop=9 is not in")
    def test_invalid_noop_is_reported(self) -> None:
        with pytest.warns(UserWarning, match="noop=9 is not in"):
            play(Keyed(script={2: ESCAPE}), noop=9)

    def test_frames_in_a_list_are_shown(self) -> None:
        class Listed(Keyed):
            def render(self) -> Any:
                return [super().render()]

        env = Listed("rgb_array_list", {2: ESCAPE})
        play(env)
        assert env.actions == [0]


class TestPlot:
    def test_plot_shows_the_last_steps(self) -> None:
        matplotlib = pytest.importorskip("matplotlib", reason="the extra plot")
        matplotlib.use("Agg")
        plot = PlayPlot(lambda *step: [step[3], step[2]], 2, ["reward", "action"])
        for step in range(3):
            plot.callback(0, 0, step, 1.0, False, False, {})
        assert [list(line) for line in plot.data] == [[1, 1], [1, 2]]
        assert [axis.get_title() for axis in plot.axes] == ["reward", "action"]
        with pytest.raises(ValueError, match="Expected one number for each of"):
            PlayPlot(lambda *step: [1], 2, ["a", "b"]).callback(0, 0, 0, 1.0, False, False, {})

    def test_missing_matplotlib_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
        with pytest.raises(DependencyNotInstalled, match=r"gymkernel-tool-play\[plot\]"):
            PlayPlot(lambda *_: [], 2, [])


class TestCommand:
    def test_command_plays_and_prints_the_returns(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("gymkernel.utils.targets.find_env", lambda target, kwargs: Found(Keyed(script={5: ESCAPE})))
        result = CliRunner().invoke(command, ["game", "--seed", "3"])
        assert result.exit_code == 0, result.output
        assert "A: action 1\nD: action 2\nA + D: action 3\n" in result.output
        assert "finished episodes: 1; returns: 3" in result.output

    def test_keys_are_explained_by_their_action(self, monkeypatch: pytest.MonkeyPatch) -> None:
        env = Keyed(script={5: ESCAPE})
        env.get_action_meanings = lambda: ["stay", "walk left", "walk right", "jump"]  # type: ignore[attr-defined]
        monkeypatch.setattr("gymkernel.utils.targets.find_env", lambda target, kwargs: Found(env))
        output = CliRunner().invoke(command, ["game"]).output
        assert "A: walk left\nD: walk right\nA + D: jump\nESC: end the game\n" in output

    def test_keys_can_be_passed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        env = Game(script={2: press(ord("w")), 4: ESCAPE})
        monkeypatch.setattr("gymkernel.utils.targets.find_env", lambda target, kwargs: Found(env))
        assert CliRunner().invoke(command, ["game", "--keys", '{"w": 3}', "--noop", "1"]).exit_code == 0
        assert env.actions == [1, 3, 3]

    @pytest.mark.parametrize(
        "arguments, message",
        [
            (["no_such_module:Game"], "no_such_module"),
            (["game", "--keys", "a"], 'expected a JSON object such as {"a": 0}'),
            (["game", "--keys", "[1]"], "expected a JSON object"),
            (["game", "--noop", "x"], "Expected JSON"),
        ],
    )
    def test_invalid_options_are_reported(self, arguments: list[str], message: str) -> None:
        result = CliRunner().invoke(command, arguments)
        assert result.exit_code == 2
        assert message in result.output

    def test_environment_without_keys_error_says_what_to_pass(self, monkeypatch: pytest.MonkeyPatch) -> None:
        env = Game()
        monkeypatch.setattr("gymkernel.utils.targets.find_env", lambda target, kwargs: Found(env))
        result = CliRunner().invoke(command, ["game"])
        assert result.exit_code == 2
        assert "--keys" in result.output
        assert env.closed


class Found:
    def __init__(self, env: Any) -> None:
        self.env = env

    def make(self, **_: Any) -> Any:
        return self.env
