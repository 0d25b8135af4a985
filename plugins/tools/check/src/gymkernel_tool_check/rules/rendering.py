"""GK80x and GK81x: rules about render modes and frames."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.introspect import is_a, is_defined, read, unreadable
from gymkernel_tool_check.probes.making import Construction
from gymkernel_tool_check.probes.nondeterminism import known_cause
from gymkernel_tool_check.probes.rendering import THE_END, Frame, Mode, modes_of
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.subject import Subject
from gymkernel_util_compatibility.other_apis import accepts
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.texts import error_text

LEGACY = {"render.modes": "render_modes", "video.frames_per_second": "render_fps"}
TYPES: dict[str, Any] = {"rgb_array": np.ndarray, "depth_array": np.ndarray, "ansi": (str, io.StringIO)}


def _make(subject: Subject, mode: str) -> str:
    """Return a line of Python that creates the environment with a render mode."""
    return subject.recipe.calling(f'render_mode="{mode}"').statement


def _program(subject: Subject, mode: str, *lines: str) -> Program:
    """Return a program that creates the environment with a render mode and then runs the given lines."""
    return Program("\n".join([_make(subject, mode), *lines]))


def _tried(modes: list[Mode]) -> list[Mode]:
    """Return the render modes that were tried. Raise `Skip` if there are none."""
    tried = [mode for mode in modes if not mode.skipped]
    if not tried:
        raise Skip("; ".join(f"render mode {mode.name}: {mode.skipped}" for mode in modes))
    return tried


def modes_are_declared(subject: Subject, construction: Construction) -> Faults:
    """Check the keys of the environment's metadata and the types of their values.

    Why: Libraries choose a render mode from metadata['render_modes']. Without this key, they record no videos.
    Fix: Set metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 30} on the class. The older keys, which
    contain dots, are ignored.
    """
    env = read(construction.require(), "unwrapped", construction.env)
    if "metadata" in unreadable(env) or not is_defined(env, "metadata"):
        raise Skip("the metadata cannot be read (GK002, GK007)")
    metadata: Any = read(env, "metadata")
    if not is_a(metadata, Mapping):
        seen = "None" if metadata is None else f"{short(metadata)} ({type(metadata).__name__})"
        yield Fault(f"metadata is {seen}, not a dict; vector environments reject other types", "class", _SHOW)
        return
    for old, new in LEGACY.items():
        if old in metadata and new not in metadata:
            yield Fault(f"metadata has the outdated key {old!r}; use {new!r}", "class", _SHOW)
    modes = metadata.get("render_modes")
    draws = _draws(type(env)) and accepts(type(env), "render_mode")
    if any(old in metadata for old in LEGACY):
        return
    if modes is None or len(list(modes)) == 0:
        if draws:
            missing = "no 'render_modes'" if modes is None else "no mode in 'render_modes'"
            message = f"the class defines render and accepts render_mode, but metadata has {missing}"
            yield Fault(message, "class", _SHOW)
    elif is_a(modes, str) or not all(is_a(mode, str) for mode in modes):
        yield Fault(f"metadata['render_modes'] is {short(modes)}, not a list of names", "class", _SHOW)


def _draws(cls: Any) -> bool:
    """Return whether a class defines its own `render` method."""
    bases = [base for base in cls.__mro__ if base.__name__ == "Env"]
    return callable(getattr(cls, "render", None)) and all(cls.render is not base.render for base in bases)


_SHOW = "print(env.unwrapped.metadata)"


def rate_is_declared(subject: Subject, construction: Construction) -> Faults:
    """Check `render_fps` if one of the declared modes produces images.

    Why: Without a frame rate, videos are played at a guessed speed.
    Fix: Set metadata["render_fps"] to a positive number.
    """
    env = read(construction.require(), "unwrapped", construction.env)
    if not [mode for mode in modes_of(env) if mode != "ansi"]:
        return
    metadata: Any = read(env, "metadata")
    if LEGACY.keys() & metadata.keys():
        return
    rate = metadata.get("render_fps")
    number = is_a(rate, int | float | np.number) and not is_a(rate, bool)
    if rate is None:
        yield Fault("metadata declares render modes, but has no 'render_fps'", "class", _SHOW)
    elif not number or not rate > 0:
        yield Fault(f"metadata['render_fps'] is {rate!r}, not a positive number", "class", _SHOW)


def modes_are_accepted(subject: Subject, modes: list[Mode]) -> Faults:
    """Create an environment in each declared render mode.

    Why: If the constructor rejects a declared render mode, make(..., render_mode=...) fails, and no videos can be
    recorded.
    Fix: Add the argument render_mode=None to __init__, and list in metadata only the modes that it accepts.
    """
    for mode in _tried(modes):
        if mode.refused is not None:
            message = f"metadata declares the render mode {mode.name!r}, but the constructor raised "
            message += f"{type(mode.refused).__name__}: {mode.refused}"
            yield Fault(message, "__init__", _program(subject, mode.name))


def mode_is_stored(subject: Subject, modes: list[Mode]) -> Faults:
    """Create an environment in each render mode, and check its attribute `render_mode`.

    Why: Wrappers that record or display frames read env.render_mode, and reject the environment if it is None.
    Fix: Set self.render_mode = render_mode in __init__.
    """
    wrong = [mode for mode in _tried(modes) if mode.refused is None and mode.stored != mode.name]
    if wrong:
        name = wrong[0].name
        message = f"render_mode is {wrong[0].stored!r} after creation with render_mode={name!r}"
        message += f" ({len(wrong)} of {len(modes)} modes)" if len(wrong) > 1 else ""
        yield Fault(message, "__init__", _program(subject, name, "print(env.render_mode)"))


def _single(mode: Mode) -> Iterator[tuple[Frame, Any, str]]:
    """Yield each frame of a render mode with the name of the mode for single frames. Lists of frames are unpacked."""
    for record in mode.frames:
        if mode.name.endswith("_list") and is_a(record.frame, list | tuple):
            yield from ((record, frame, mode.name.removesuffix("_list")) for frame in record.frame)
        else:
            yield record, record.frame, mode.name


def frames_are_pictures(subject: Subject, modes: list[Mode]) -> Faults:
    """Check the dtype and the shape of every frame that is an array.

    Why: Video encoders expect one byte each for red, green and blue. Anything else is shown as black or as noise.
    Fix: Return a uint8 array of shape (height, width, 3) with values from 0 to 255.
    """
    for mode in _tried(modes):
        for frame_record, frame, mode_name in _single(mode):
            if is_a(frame, np.ndarray) and (wrong := _image_problem(frame, mode_name)):
                message = f"render mode {mode.name}: {wrong}, after {frame_record.when}"
                one_of = "frame[0]" if is_a(frame_record.frame, list | tuple) else "frame"
                show = _frames(subject, mode, f"print({one_of}.dtype, {one_of}.shape)")
                yield Fault(message, "render", show)
                break


def _image_problem(frame: Any, mode_name: str) -> str:
    if frame.size == 0:
        return f"the frame of shape {frame.shape} is empty"
    if mode_name == "rgb_array" and (frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[-1] != 3):
        return f"expected a frame of uint8 (height, width, 3), got {frame.dtype} {frame.shape}"
    if mode_name == "depth_array" and (frame.dtype.kind not in "fiu" or frame.ndim not in {2, 3}):
        return f"expected a frame of numbers (height, width), got {frame.dtype} {frame.shape}"
    return ""


def _frames(subject: Subject, mode: Mode, last: str, steps: int = 0) -> Program:
    seed = subject.options.seed
    run = ["for _ in range(3):", "    env.step(env.action_space.sample())"] if steps else []
    return _program(subject, mode.name, f"env.reset(seed={seed})", "frame = env.render()", *run, last)


def frames_are_of_the_mode(subject: Subject, modes: list[Mode]) -> Faults:
    """Check the type of every frame, and whether render prints text instead of returning it.

    Why: A program that expects a frame may get None, and the user notices only after the evaluation that there are no
    videos.
    Fix: In rgb_array mode, return an array. In ansi mode, return the text instead of printing it. In modes whose names
    end with _list, return a list of frames.
    """
    for mode in _tried(modes):
        for frame_record, frame, mode_name in _single(mode):
            expected = list if mode_name.endswith("_list") else TYPES.get(mode_name, object)
            if is_a(frame, expected):
                continue
            wanted = {"ansi": "a text"}.get(mode_name, "a list of frames" if expected is list else "an array")
            seen = f"{short(frame)} ({type(frame).__name__})" if frame is not None else "None"
            message = f"render mode {mode.name}: expected {wanted}, got {seen}, after {frame_record.when}"
            if frame_record.printed and frame is None:
                message += f"; it printed {short(frame_record.printed)} instead"
            yield Fault(message, "render", _frames(subject, mode, "print(type(frame))"))
            break


def rendering_changes_nothing(subject: Subject, modes: list[Mode]) -> Faults:
    """Compare a run that renders after each call with a run that never renders.

    Why: If rendering affects the episode, a video does not show the episode that would have happened without rendering.
    Fix: Use a separate generator for random numbers in images, and do not change the state of the environment in
    render.
    """
    for mode in _tried(modes):
        if mode.mismatch is not None:
            if (found := known_cause(subject)) is not None:
                raise Skip(f"runs with the same seed differ anyway (see {found})")
            call, what, detail = mode.mismatch
            message = f"render mode {mode.name}: with the same seed and actions, a run with rendering and one without"
            message += f" differ at {call.when}, in the {what}: {detail}"
            seed = subject.options.seed
            lines = [f"    env.action_space.seed({seed})", f"    result = [env.reset(seed={seed})]"]
            lines += ["    for _ in range(12):", "        if draw:", "            env.render()"]
            lines += ["        result.append(env.step(env.action_space.sample()))"]
            lines += ["        if any(result[-1][2:4]):", "            break"]
            make = f"    {_make(subject, mode.name)}"
            program = "\n".join(["for draw in (False, True):", make, *lines, "    print(result[-1])"])
            yield Fault(message, "render", program, seed, call.episode, call.step)
            return


def frames_stay(subject: Subject, modes: list[Mode]) -> Faults:
    """Compare every frame with a copy at the end of the run.

    Why: Recorders store all frames until the end of an episode. If the frames share one array, all of them show the
    last state.
    Fix: Return a copy of the array into which the environment draws.
    """
    for mode in _tried(modes):
        arrays = (frame for frame in mode.frames if is_a(frame.frame, np.ndarray | list))
        if changed := [frame for frame in arrays if difference(frame.kept, frame.frame)]:
            what = difference(changed[0].kept, changed[0].frame)
            message = f"render mode {mode.name}: the frame after {changed[0].when} changed later: {what}"
            message += f"; {len(changed) - 1} more of {len(mode.frames)} frames" if len(changed) > 1 else ""
            seed = subject.options.seed
            lines = [f"env.reset(seed={seed})", "frames = [env.render()]", "before = repr(frames)"]
            lines += ["for _ in range(3):", "    env.step(env.action_space.sample())", "    env.render()"]
            show = _program(subject, mode.name, *lines, "print(before == repr(frames))  # False")
            yield Fault(message, "render", show)


def render_works(subject: Subject, modes: list[Mode]) -> Faults:
    """In each render mode, call reset and step, and call render after each of these calls.

    Why: Recorders call render after reset and after every step, including the last one. An exception in render ends the
    run.
    Fix: Make render work immediately after reset. In __init__ and reset, set every attribute that render reads.
    """
    for mode in _tried(modes):
        if mode.name == "human" and len(modes) > 1 and all(other.error for other in _tried(modes)):
            continue  # the error in the other modes is the same
        if mode.error is not None:
            when, exc = mode.error
            message = f"render mode {mode.name}: render after {when} raised {error_text(exc)}"
            show = _frames(subject, mode, "env.render()", steps=3)
            if when.startswith(THE_END):
                to_the_end = ("while not any(env.step(env.action_space.sample())[2:4]):", "    pass", "env.render()")
                show = _program(subject, mode.name, f"env.reset(seed={subject.options.seed})", *to_the_end)
            yield Fault(message, "render", show)
        elif mode.failed is not None:
            message = f"render mode {mode.name}: {mode.failed.when} raised {error_text(mode.failed.error)}"
            yield Fault(message, mode.failed.method, _frames(subject, mode, "env.render()", steps=3))


def frames_have_one_size(subject: Subject, modes: list[Mode]) -> Faults:
    """Compare the sizes of all frames that one environment returned in the same render mode.

    Why: Video encoders use the size of the first frame, and fail at the first frame of a different size.
    Fix: Draw on a canvas of a fixed size.
    """
    for mode in _tried(modes):
        images = [(record, frame) for record, frame, _ in _single(mode) if is_a(frame, np.ndarray) and frame.ndim == 3]
        others = [(record, frame) for record, frame in images if frame.shape != images[0][1].shape]
        if others:
            (before, first), (after, other) = images[0], others[0]
            message = f"render mode {mode.name}: the frame after {before.when} has the shape {first.shape}, "
            message += f"but the frame after {after.when} has the shape {other.shape}"
            yield Fault(message, "render", _frames(subject, mode, "print(frame.shape, env.render().shape)", steps=3))


def human_mode_shows(subject: Subject, modes: list[Mode]) -> Faults:
    """Render in human mode with SDL's dummy driver. The rule is skipped if the environment requires a real display.

    Why: Programs treat a value that render returns as a frame to record. Returning a frame in addition to drawing in a
    window wastes time.
    Fix: In human mode, draw on the screen and return None. This rule sets SDL_VIDEODRIVER=dummy.
    """
    human = next((mode for mode in modes if mode.name == "human"), None)
    if human is None:
        raise Skip("metadata does not declare the render mode human")
    if human.skipped:
        raise Skip(human.skipped)
    returned = [frame for frame in human.frames if frame.frame is not None and not is_a(frame.frame, bool)]
    if returned:
        message = f"render mode human: render returned {short(returned[0].frame)} after {returned[0].when}; "
        message += "expected None"
        yield Fault(message, "render", _frames(subject, human, "print(type(frame))"))
