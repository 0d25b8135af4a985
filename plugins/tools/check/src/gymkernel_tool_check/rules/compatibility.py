"""GK13x and GK14x: rules about limitations of other libraries, selected by `--compat sb3` and `--compat async`."""

from __future__ import annotations

import pickle
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults
from gymkernel_tool_check.probes.making import Construction
from gymkernel_tool_check.probes.space_parts import leaves
from gymkernel_tool_check.probes.trace import Trace
from gymkernel_tool_check.rules.outputs import fault, stamp
from gymkernel_tool_check.rules.spaces import boxes_of, spaces_of
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.texts import error_text

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
