"""GK10x, GK110, GK13x and GK14x: rules about the spaces of an environment, and about limitations of other libraries."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, first_fault
from gymkernel_tool_check.introspect import SPACES, is_a, read, unreadable
from gymkernel_tool_check.probes.making import Construction
from gymkernel_tool_check.probes.space_parts import boxes, leaves
from gymkernel_tool_check.probes.trace import Trace, is_space
from gymkernel_tool_check.rules.outputs import fault, good_calls, parts_of, replay, stamp
from gymkernel_tool_check.rules.space_rules import copy_of
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.membership import mismatch
from gymkernel_util_spaces.texts import error_text

SAMPLES = 50


def spaces_of(env: Any) -> dict[str, Any]:
    """Return an environment's observation space and action space, keyed by attribute name, if they are spaces."""
    found = {name: read(env, name, None) for name in SPACES}
    return {name: space for name, space in found.items() if is_space(space)}


def boxes_of(construction: Construction, name: str) -> Iterator[tuple[str, Any]]:
    """Yield (path, space) for each innermost Box in one of the spaces of an environment."""
    return boxes(spaces_of(construction.require()).get(name))


def are_there(subject: Subject, construction: Construction) -> Faults:
    """Check that observation_space and action_space exist and are not None.

    Why: Networks and buffers are built from the spaces before the first reset, so nothing works without them.
    Fix: Set self.observation_space and self.action_space in __init__.
    """
    env = construction.require()
    raising = unreadable(env)  # GK007 reports attributes that cannot be read
    missing = [name for name in SPACES if name not in raising and read(env, name) is None]
    if missing:
        plural = "are" if len(missing) > 1 else "is"
        message = f"{' and '.join(missing)} {plural} missing after construction"
        yield Fault(message, "__init__", show=f'print(getattr(env, "{missing[0]}", None))')


def are_spaces(subject: Subject, construction: Construction) -> Faults:
    """Check that both attributes are objects with the methods `sample` and `contains`.

    Why: Networks and buffers are built from the spaces before the first reset, using their attributes shape and dtype
    and their methods sample and contains.
    Fix: Use a space from gymkernel.spaces, or derive a class from gymkernel.Space.
    """
    env = construction.require()
    for name in SPACES:
        space = read(env, name, None)
        if space is None or is_space(space):
            continue
        seen = f"the class {space.__name__} itself" if is_a(space, type) else f"a {type(space).__name__}"
        message = f"{name} must be a space, got {seen}: {short(space)}"
        yield Fault(message, "__init__", show=f"print(type(env.{name}))")


def stay_the_same_object(subject: Subject, trace: Trace) -> Faults:
    """Check that each space attribute returns the same object at every access and after every call.

    A call may replace a space if the new space has the generator of the old one.

    Why: If a new space is created at each access or in reset, it has not been seeded, so exploration cannot be
    reproduced.
    Fix: Create the space once, in __init__. If the attribute is a property, return this object. Do not replace it in
    reset.
    """
    env = trace.env
    for name in spaces_of(env):
        if getattr(env, name) is not getattr(env, name):
            message = f"two accesses to {name} return different objects, so the effect of {name}.seed(...) is lost"
            yield Fault(message, name, show=f"print(env.{name} is env.{name})  # False")
    for name, (call, path) in trace.replaced.items():
        message = f"{call.when} replaced {name}{path} with an equal space that has another generator, so the effect "
        message += f"of {name}.seed(...) is lost"
        show = f"before = env.{name}{path}\n{replay(trace, call)}\nprint(env.{name}{path} is before)  # False"
        yield Fault(message, call.method, show, trace.seed, call.episode, call.step)


def do_not_change(subject: Subject, trace: Trace) -> Faults:
    """Compare each space after several episodes with a copy made before the first reset.

    Why: Networks and buffers are built from the spaces before the first reset. If a space changes later, they no longer
    match it.
    Fix: Choose spaces that remain valid for the lifetime of the environment, and set them only in __init__.
    """
    for name, before in trace.spaces.items():
        after = read(trace.env, name, None)
        if before is None or not is_space(after):
            continue
        if not bool(before == after):
            count = len(trace.calls)
            message = f"{name} was {short(before)} before the first reset and is {short(after)} after {count} calls"
            show = f"before = repr(env.{name})\n"
            show += f"env.reset(seed={trace.seed})\nenv.step(env.action_space.sample())\nprint(before, env.{name})"
            yield Fault(message, "reset", show=show, seed=trace.seed)


def accept_their_samples(subject: Subject, construction: Construction) -> Faults:
    """Draw samples from a copy of each space, and check that the space contains them.

    Why: Random exploration uses samples as actions, while wrappers and checks call contains. If the two methods
    disagree, one of them is wrong.
    Fix: Use the same dtype and the same bounds in the space's methods sample and contains.
    """
    for name, space in spaces_of(construction.require()).items():
        twin = copy_of(space)
        twin.seed(subject.options.seed)
        for i in range(SAMPLES):
            sample = twin.sample()
            if found := mismatch(space, sample):
                message = f"{name} rejects its own sample number {i + 1}: {found.message}"
                show = f"env.{name}.seed({subject.options.seed})\n"
                show += f"print(all(env.{name}.contains(env.{name}.sample()) for _ in range({i + 1})))  # False"
                yield Fault(message, "__init__", show=show, seed=subject.options.seed)
                break


CHANNELS: Final = {1, 3, 4}
IMAGE: Final = ("image", "pixels", "rgb", "camera", "screen", "frame")
SMALLEST: Final = 36


def spaces_have_elements(subject: Subject, construction: Construction) -> Faults:
    """Look for ranges with a single value and for elements without data. An inner space may be empty if others are not.

    Why: A range with a single value carries no information, and code that rescales values divides by the width of the
    range, which is zero.
    Fix: Give every part of the space a range with more than one value, and remove parts that never change.
    """
    for name, space in spaces_of(construction.require()).items():
        parts = list(leaves(space))
        filled = [(path, leaf) for path, leaf in parts if not _is_hollow(leaf)]
        for path, leaf in filled or parts[:1]:
            if why := _emptiness(leaf):
                message = f"{name}{path} is {short(leaf)}: {why}"
                yield Fault(message, "__init__", show=f"print(env.{name})")
                break


def _is_hollow(space: Any) -> bool:
    """Return whether the elements of a space contain no data, for example because they are arrays of size 0."""
    low, parts = read(space, "low"), read(space, "spaces")
    return (isinstance(low, np.ndarray) and low.size == 0) or (isinstance(parts, dict | tuple) and not parts)


def _emptiness(space: Any) -> str | None:
    low, high = getattr(space, "low", None), getattr(space, "high", None)
    if isinstance(low, np.ndarray) and isinstance(high, np.ndarray):
        return _no_range(low, high)
    parts, n, nvec = (getattr(space, name, None) for name in ("spaces", "n", "nvec"))
    if isinstance(parts, dict | tuple) and not parts:
        return "it has no parts"
    if isinstance(n, int | np.integer) and n <= 0:
        return f"it has n={n} values"
    return f"an element has {int(nvec.min())} values" if isinstance(nvec, np.ndarray) and (nvec <= 0).any() else None


def _no_range(low: np.ndarray[Any, Any], high: np.ndarray[Any, Any]) -> str | None:
    if low.size == 0:
        return "an array without elements"
    equal = np.argwhere(low == high).tolist()
    return f"low and high of element {equal[0]} are both {low[tuple(equal[0])]}" if equal else None


def actions_are_bounded(subject: Subject, construction: Construction) -> Faults:
    """Look for infinite bounds in every Box in the action space. They are legal, but discouraged.

    Why: Random exploration, and policies that squash their output, need to know the range of the actions.
    Fix: Set low and high to the range of actions that is meaningful in the environment.
    """
    for path, box in boxes_of(construction, "action_space"):
        unbounded = np.argwhere(~np.isfinite(box.low) | ~np.isfinite(box.high)).tolist()
        if unbounded:
            message = f"action_space{path} is {short(box)}: element {unbounded[0]} has no bounds"
            yield Fault(message, "__init__", show="print(env.action_space)")
            return


def actions_are_normalised(subject: Subject, construction: Construction) -> Faults:
    """Check that the range of every floating-point Box in the action space is about [-1, 1].

    Other ranges are legal, but discouraged.

    Why: Gaussian policies initially choose actions with a magnitude of about 1, which cover only a small part of a
    large or off-centre range.
    Fix: Use the range [-1, 1] for actions and rescale them in step, or wrap the environment in RescaleAction.
    """
    for path, box in boxes_of(construction, "action_space"):
        low, high = box.low, box.high
        finite = low.dtype.kind == "f" and np.isfinite(low).all() and np.isfinite(high).all()
        if finite and ((low != -high).any() or (high > 1).any()):
            why = "not symmetric around 0" if (low != -high).any() else "not within [-1, 1]"
            message = f"action_space{path} is {short(box)}: {why}"
            yield Fault(message, "__init__", show="print(env.action_space)")
            return


def images_are_bytes(subject: Subject, construction: Construction) -> Faults:
    """Check every Box whose name suggests an image, and every three-dimensional Box with 1, 3 or 4 channels.

    Why: Training libraries with convolutional networks transpose every array that looks like an image, and divide it by
    255.
    Fix: Return images as uint8 values from 0 to 255, with at least 36 by 36 pixels. If this is not possible, set
    normalize_images=False and use your own policy.
    """
    for path, box in boxes_of(construction, "observation_space"):
        shape = box.low.shape
        channels = bool(shape) and len(shape) == 3 and {shape[0], shape[-1]} & CHANNELS
        if not channels and not (len(shape) >= 2 and any(word in path.lower() for word in IMAGE)):
            continue
        wrong = []
        if box.low.dtype != np.uint8:
            wrong.append(f"has the dtype {box.low.dtype}")
        if (box.low != 0).any() or (box.high != 255).any():
            wrong.append(f"ranges from {box.low.min()} to {box.high.max()}")
        if len(shape) == 3 and min(sorted(shape)[-2:]) < SMALLEST:
            wrong.append(f"is smaller than {SMALLEST} x {SMALLEST}")
        if wrong:
            message = f"observation_space{path} looks like an image, but {' and '.join(wrong)}"
            yield Fault(message, "__init__", show="print(env.observation_space)")


@first_fault
def space_is_not_too_wide(subject: Subject, trace: Trace) -> Faults:
    """Check whether all observations have a dtype that is smaller than that of the observation space.

    Only dtypes of the same kind are compared.

    Why: Buffers and batches have the dtype of the space. If it is too large, memory is wasted, and observations are
    cast in every step.
    Fix: Declare the space with the dtype that the environment returns.
    """
    calls = list(good_calls(subject))
    for path, box in boxes(read(trace.env, "observation_space", None)):
        values: list[Any] = [dict(parts_of(call.kept)).get(path) for _, call in calls]
        dtypes = {value.dtype for value in values if is_a(value, np.ndarray) and value.shape}
        if len(dtypes) != 1 or len(values) < 2:
            continue
        narrow, wide = dtypes.pop(), box.low.dtype
        if narrow.kind == wide.kind and narrow.itemsize < wide.itemsize:
            run, call = calls[0]
            message = f"observation_space{path} has the dtype {wide}, but all {len(calls)} observations have {narrow}"
            yield fault(run, call, message, "print(env.observation_space)", "__init__")


SIMPLE: Final = ("Box", "Discrete", "MultiDiscrete", "MultiBinary")


def _class_name(space: Any) -> str:
    """Return the name of the well-known space class that a space derives from, or the name of its own class."""
    known = {*SIMPLE, "Dict", "Tuple", "Text", "Graph", "Sequence", "OneOf"}
    return next((cls.__name__ for cls in type(space).__mro__ if cls.__name__ in known), type(space).__name__)


def sb3_takes_the_spaces(subject: Subject, construction: Construction) -> Faults:
    """Check that Stable-Baselines3 documents support for the spaces of the environment.

    Why: The policies of Stable-Baselines3 only support arrays and flat dictionaries of arrays.
    Fix: Wrap the environment in FlattenObservation or in your own wrapper, or use another training library.
    """
    for name, space in spaces_of(construction.require()).items():
        if why := _unknown_to_sb3(name, space):
            yield Fault(f"{name} is {short(space)}: {why}", "__init__", show=f"print(env.{name})")


def _unknown_to_sb3(name: str, space: Any) -> str | None:
    class_name: str = _class_name(space)
    parts: Any = getattr(space, "spaces", None)
    if class_name == "Dict" and name == "observation_space":
        odd = [key for key, part in parts.items() if _class_name(part) not in SIMPLE]
        return f"the part {odd[0]!r} is a {_class_name(parts[odd[0]])}, but only arrays are supported" if odd else None
    if class_name not in SIMPLE:
        return f"Stable-Baselines3 does not support {class_name} as {name}"
    if class_name == "Discrete" and int(getattr(space, "start", 0)):
        return f"Stable-Baselines3 assumes that Discrete starts at 0, but this space starts at {space.start}"
    if class_name == "MultiDiscrete" and np.ndim(space.nvec) > 1:
        return "Stable-Baselines3 supports only one-dimensional MultiDiscrete spaces"
    return None


def sb3_takes_the_actions(subject: Subject, construction: Construction) -> Faults:
    """Check the dtype and the bounds of every Box in the action space.

    Why: The continuous policies of Stable-Baselines3 require float32 actions with bounds, and initially choose actions
    with a magnitude of about 1.
    Fix: Use Box(-1, 1, shape, numpy.float32) as the action space, and rescale the actions in step or with
    RescaleAction.
    """
    for path, box in boxes_of(construction, "action_space"):
        low, high, wrong = box.low, box.high, []
        if low.dtype != np.float32:
            wrong.append(f"its dtype is {low.dtype}, not float32")
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            wrong.append("it has no bounds")
        elif (low != -1).any() or (high != 1).any():
            wrong.append("its range is not -1 to 1")
        if wrong:
            message = f"action_space{path} is {short(box)}: {' and '.join(wrong)}"
            yield Fault(message, "__init__", show="print(env.action_space)")


def workers_send_what_is_returned(subject: Subject, trace: Trace) -> Faults:
    """Pickle the values that reset and step return.

    Why: Each worker of a vector environment sends the values returned by its environment to the main process. If a
    value cannot be pickled, the worker exits.
    Fix: Return only plain data, such as numbers, strings and arrays.
    """
    for call in trace.good[:200]:
        try:
            pickle.dumps(call.returned)
        except Exception as exc:  # noqa: BLE001 - pickling the value may raise any exception
            error = error_text(exc, 100)
            message = f"the values that {stamp(trace, call)} returned cannot be pickled: {error}"
            yield fault(trace, call, message, "pickle.dumps((observation, info))")
            return


def observations_have_a_fixed_size(subject: Subject, construction: Construction) -> Faults:
    """Check that every part of an observation has a fixed size.

    Why: Observations without a fixed size are sent through a pipe, which is slower than shared memory. Some libraries
    reject such observation spaces.
    Fix: Use observations of a fixed size, for example a Box of the maximum size together with a mask or a length.
    """
    space = spaces_of(construction.require()).get("observation_space")
    for path, leaf in leaves(space) if space is not None else ():
        own = getattr(leaf, "layout", None)
        if (own() is None) if callable(own) else _class_name(leaf) in {"Graph", "Sequence", "OneOf"}:
            message = f"observation_space{path} is {short(leaf)}, whose elements have no fixed size"
            yield Fault(message, "__init__", show="print(env.observation_space)")
