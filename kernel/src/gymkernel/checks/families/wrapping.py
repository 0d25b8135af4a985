"""GK67x and GK68x: wrappers, around one environment and around a vector environment."""

from __future__ import annotations

import contextlib
import copy
import pickle
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.checks.compare import difference, short, snapshot
from gymkernel.checks.definition import Fault, Skip, rule
from gymkernel.checks.membership import mismatch
from gymkernel.checks.probes.copies import culprit, not_importable
from gymkernel.checks.probes.repeating import global_generators_elsewhere
from gymkernel.checks.probes.together import part_of
from gymkernel.checks.probes.wearing import SEED, put_on, worn
from gymkernel.checks.trace import Player, is_space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gymkernel.checks.definition import Rule
    from gymkernel.checks.probes.wearing import Worn
    from gymkernel.checks.subject import Subject
    from gymkernel.checks.trace import Call

    Law = Callable[[Subject, list[Worn]], Iterator[Fault]]

__all__ = ["program"]

STACK: Final = "Wrappers are stacked: each relies on what the one inside does"


def program(subject: Subject, one: Worn, *lines: str) -> str:
    """Put the wrapper on, and go on."""
    name = subject.recipe.splitlines()[-1].removeprefix("space = ").removesuffix("()")
    arguments = "".join(f", {key}={value!r}" for key, value in one.kwargs.items())
    ground = "Row" if subject.kind == "vector_wrappers" else "Ground"
    mode = "" if ground == "Row" else ', render_mode="rgb_array"'
    return "\n".join([f'env = {name}(grounds.{ground}("{one.kind}"{mode}){arguments})', *lines])


def both(single: str, several: str, title: str, *, why: str, mend: str, severity: str = "error") -> Any:
    """Make two rules of one function: for wrappers, and for vector wrappers; an empty code for none."""

    def decorate(function: Law) -> tuple[Rule, ...]:
        codes = [(single, "wrappers"), (several, "vector_wrappers")]
        return tuple(
            rule(code, title, why=why, mend=mend, probe=worn, severity=severity, kind=kind)(function)
            for code, kind in codes
            if code
        )

    return decorate


def _first(subject: Subject, seen: list[Worn], of: Callable[[Subject, Worn], Iterator[Fault]]) -> Iterator[Fault]:
    """The faults around the first environment that shows any."""
    for one in seen:
        if found := list(of(subject, one)):
            yield from found
            return


RUN: Final = ("env.reset(seed=5)", "for _ in range(4):", "    print(env.step(env.action_space.sample()))")


def _works(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """Reset and step around each of a few small environments that the constructor accepts."""

    def of(subject: Subject, one: Worn) -> Iterator[Fault]:
        failed = one.trace.failed
        if failed is not None:
            message = f"around {one.inner}, {failed.when} raised {type(failed.error).__name__}: {failed.error}"
            yield Fault(message, failed.method, program(subject, one, *RUN))

    yield from _first(subject, seen, of)


GK680, GK670 = both(
    "GK680",
    "GK670",
    "what it accepts, it works with",
    why=f"{STACK}; an environment that does not go with it is to be refused by the constructor, not by step.",
    mend="Check in __init__ what the environment has to be, and say it.",
)(_works)


def _hands_on(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """reset(seed=5, options={"level": 1}): what arrives inside."""

    def of(subject: Subject, one: Worn) -> Iterator[Fault]:
        if one.inner is None or not one.inner.resets:
            return
        seed, options = one.inner.resets[0]
        show = program(subject, one, 'env.reset(seed=5, options={"level": 1})', "print(env.unwrapped.resets)")
        if seed != SEED:
            yield Fault(f"reset(seed={SEED}) reached the environment inside as seed={seed!r}", "reset", show)
        if not options or options.get("level") != 1:
            yield Fault(f"reset(options={{'level': 1}}) reached the environment inside as {options!r}", "reset", show)

    yield from _first(subject, seen, of)


GK681, GK671 = both(
    "GK681",
    "GK671",
    "seeds and options reach the environment inside",
    why="Runs with this wrapper cannot be repeated, and no option arrives, though reset takes both without a word.",
    mend="In reset(self, *, seed=None, options=None), call self.env.reset(seed=seed, options=options).",
)(_hands_on)


def _in_its_spaces(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """Of every reset and step; where the environment inside is in its own."""

    def of(subject: Subject, one: Worn) -> Iterator[Fault]:
        space = getattr(one.env, "observation_space", None)
        for call in one.trace.good:
            want = 2 if call.method == "reset" else 5
            if not isinstance(call.returned, tuple) or len(call.returned) != want:
                message = f"{call.when} returned {short(call.returned)}, not a tuple of {want}"
                yield Fault(message, call.method, program(subject, one, *RUN))
                return
            if not isinstance(call.info, dict) and not (subject.kind == "vector_wrappers" and _dicts(call.info)):
                message = f"the info of {call.when} is {short(call.info)}, not a dict"
                yield Fault(message, call.method, program(subject, one, *RUN))
                return
            if is_space(space) and (found := mismatch(space, call.kept)) is not None:
                message = f"the observation of {call.when} is not in observation_space of the wrapper: {found.message}"
                last = (
                    "observation, _ = env.reset(seed=5)",
                    "print(env.observation_space)",
                    "print(repr(observation))",
                )
                yield Fault(message, "observation", program(subject, one, *last))
                return
            if call.method == "step" and (wrong := _wrong(subject, call)):
                yield Fault(f"{call.when} returned {wrong}", "step", program(subject, one, *RUN))
                return

    yield from _first(subject, seen, of)


def _dicts(info: Any) -> bool:
    """Whether infos are a list of dictionaries, as before there were arrays of them."""
    return isinstance(info, list | tuple) and all(isinstance(one, dict) for one in info)


def _wrong(subject: Subject, call: Call) -> str:
    if subject.kind == "vector_wrappers":
        shapes = [np.shape(part) for part in (call.reward, call.terminated, call.truncated)]
        return "" if len(set(shapes)) == 1 and len(shapes[0]) == 1 else f"rewards and flags of the shapes {shapes}"
    if not hasattr(call.reward, "__float__") or np.shape(call.reward):
        return f"the reward {short(call.reward)} ({type(call.reward).__name__}), not a number"
    flags = [flag for flag in (call.terminated, call.truncated) if not isinstance(flag, bool | np.bool_)]
    return f"the flag {short(flags[0])} ({type(flags[0]).__name__}), not a bool" if flags else ""


GK682, GK672 = both(
    "GK682",
    "GK672",
    "what it returns is in its own spaces",
    why=f"{STACK}, and networks are built from the spaces: those of the environment inside are no longer true.",
    mend="Set self.observation_space in __init__ to what `observation` returns, with its shape, dtype and bounds.",
)(_in_its_spaces)


def _actions_fit(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """The action space of the wrapper is sampled; what arrives inside is in the space there."""

    def of(subject: Subject, one: Worn) -> Iterator[Fault]:
        if one.inner is None:
            return
        for action, kept in one.inner.actions:
            if (found := mismatch(one.inner.action_space, kept)) is not None:
                message = f"an action of its action_space reached the environment inside as {short(action)}, which is "
                message += f"not in the action_space there: {found.message}"
                last = ("env.reset()", "env.step(env.action_space.sample())", "print(env.unwrapped.actions[-1])")
                yield Fault(message, "action", program(subject, one, *last))
                return

    yield from _first(subject, seen, of)


GK683, GK673 = both(
    "GK683",
    "GK673",
    "its actions are actions of the environment inside",
    why="An agent that acts within action_space does what the environment does not expect: it crashes, or clips.",
    mend="Set self.action_space in __init__ to what `action` takes, and let `action` return what the other space has.",
)(_actions_fit)


def _forwards(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """`unwrapped`, `spec`, `render_mode`, `np_random`; `num_envs` and the mode of autoreset of a vector environment."""
    names = ["unwrapped", "spec", "render_mode", "np_random"]
    if subject.kind == "vector_wrappers":
        names = ["unwrapped", "num_envs", "closed", "spec", "metadata"]

    def of(subject: Subject, one: Worn) -> Iterator[Fault]:
        if one.inner is None:
            return
        for name in names:
            try:
                value = getattr(one.env, name)
            except Exception as exc:  # noqa: BLE001 - of any kind
                yield Fault(f"{name} raised {type(exc).__name__}: {exc}", name, program(subject, one, f"env.{name}"))
                continue
            if wrong := _lost(name, value, one):
                yield Fault(wrong, name, program(subject, one, f"print(env.{name})"))

    yield from _first(subject, seen, of)


def _lost(name: str, value: Any, one: Worn) -> str:
    inner = one.inner
    if name == "unwrapped":
        return "" if value is inner else f"unwrapped is {short(value)}, not the environment inside"
    if name == "np_random":
        return "" if value is inner.np_random else "np_random is another generator than that of the environment inside"
    if name == "metadata":
        mode = inner.metadata["autoreset_mode"]
        seen = value.get("autoreset_mode") if isinstance(value, dict) else None
        return "" if seen is mode else f"metadata['autoreset_mode'] is {seen!r}; inside it is {mode!r}"
    if name == "spec":
        return "spec is None, where the environment inside has one" if value is None else ""
    expected = getattr(inner, name)
    return "" if value == expected else f"{name} is {short(value)}, and {short(expected)} inside"


GK684, GK674 = both(
    "GK684",
    "GK674",
    "what it does not change is that of the environment inside",
    why=f"{STACK}, and asks through it for the generator, the spec, the render mode.",
    mend="Derive the class from Wrapper (or VectorWrapper), and call its __init__ with the environment.",
)(_forwards)


def _closes(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """Close twice, and count inside."""

    def of(subject: Subject, one: Worn) -> Iterator[Fault]:
        env, _ = put_on(subject, one.kind)
        inner = getattr(env, "unwrapped", None)
        subject.at("close")
        show = program(subject, one, "env.close()", "env.close()")
        for which in ("", "the second "):
            try:
                with subject.surviving():
                    env.close()
            except Exception as exc:  # noqa: BLE001 - of any kind
                yield Fault(f"{which}close raised {type(exc).__name__}: {exc}", "close", show)
                return
        count = getattr(inner, "closings", getattr(inner, "closed", 1))
        if type(inner) is type(one.inner) and not count:
            lines = ("inside = env.unwrapped", "env.close()", "print(inside.closed)")
            yield Fault("close does not reach the environment inside", "close", program(subject, one, *lines))

    yield from _first(subject, seen, of)


GK685, GK675 = both(
    "GK685",
    "GK675",
    "close reaches the environment inside, and works twice",
    why="Windows, files and processes of the environment stay open, one more with each run.",
    mend="End close with super().close().",
)(_closes)


def _comes_back(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """The arguments in the spec against those that were given; then make(env.spec)."""
    one = seen[0]
    spec = getattr(one.env, "spec", None)
    if spec is None or type(one.inner) is not type(one.env.unwrapped):
        message = "it has no spec (GK684)"
        raise Skip(message)
    if strange := not_importable(one.env):
        message = f"{strange} cannot be imported by its name"
        raise Skip(message)
    mine = [wrapper for wrapper in spec.additional_wrappers if wrapper.name == type(one.env).__name__]
    show = program(subject, one, "print(env.spec.additional_wrappers)")
    if mine and mine[-1].kwargs is None:
        yield Fault("it does not record the arguments of its constructor: make(env.spec) fails", "__init__", show)
        return
    numbers = {key for key, value in one.kwargs.items() if isinstance(value, int | float)}
    given, recorded = (
        {k: v for k, v in each.items() if k in numbers} for each in (one.kwargs, mine[-1].kwargs if mine else {})
    )
    if mine and (found := difference(given, recorded)):
        yield Fault(f"it records other arguments than it was given: {found}", "__init__", show)
        return
    subject.at("the constructor")
    show = program(subject, one, "print(env.spec.make())")
    try:
        with subject.surviving():
            twin = spec.make()
    except ImportError as exc:
        message = f"what makes it from its spec needs another plugin: {exc}"
        raise Skip(message) from exc
    except Exception as exc:  # noqa: BLE001 - of any kind
        yield Fault(f"make(env.spec) raised {type(exc).__name__}: {short(str(exc), 120)}", "__init__", show)
        return
    if type(twin) is not type(one.env):
        yield Fault(f"make(env.spec) gives {twin}, where it was {one.env}", "__init__", show)


(GK686,) = both(
    "GK686",
    "",
    "its spec puts it on again",
    why="Workers and evaluation make environments from env.spec: they get one without this wrapper, or an error.",
    mend="Derive from RecordConstructorArgs too, and call RecordConstructorArgs.__init__(self, name=value, ...) first.",
    severity="warning",
)(_comes_back)


def _leaves_alone(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """The caller's actions and options, what the environment inside returned, and what it returned itself before."""

    def of(subject: Subject, one: Worn) -> Iterator[Fault]:
        for call in one.trace.calls:
            if call.method == "step" and (found := difference(call.action_kept, call.action)):
                lines = ("env.reset()", "action = env.action_space.sample()", "before = repr(action)")
                show = program(subject, one, *lines, "env.step(action)", "print(before, action)")
                yield Fault(f"{call.when} changed the action that it was given: {found}", "step", show)
                break
        if one.options != {"level": 1}:
            show = program(subject, one, 'options = {"level": 1}', "env.reset(options=options)", "print(options)")
            yield Fault(f"reset changed the options that it was given: they are {one.options} now", "reset", show)
        for returned, kept in getattr(one.inner, "observations", ()):
            if found := difference(kept, returned):
                lines = ("env.reset()", "now, before = env.unwrapped.observations[0]", "print(now, before)")
                message = f"it changed an observation that belongs to the environment inside: {found}"
                yield Fault(message, "observation", program(subject, one, *lines))
                return
        changed = [call for call in one.trace.good if difference(call.kept, call.observation)]
        if changed:
            found = difference(changed[0].kept, changed[0].observation)
            lines = (
                "observation, _ = env.reset()",
                "before = repr(observation)",
                "env.step(env.action_space.sample())",
            )
            message = f"the observation of {changed[0].when} changed later: {found}"
            yield Fault(message, "observation", program(subject, one, *lines, "print(before, observation)"))

    yield from _first(subject, seen, of)


GK687, GK677 = both(
    "GK687",
    "GK677",
    "what passes through it is left as it is",
    why="Buffers of the agent, and the state of the environment inside, change behind their backs.",
    mend="Work on copies: observation = observation / 255, not observation /= 255; return a copy of what is kept.",
)(_leaves_alone)


def _pickles(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """In the middle of an episode; a copy goes on as its original does."""
    one = seen[0]
    if strange := not_importable(one.env):
        message = f"{strange} cannot be imported by its name"
        raise Skip(message)
    env, kwargs = put_on(subject, one.kind)
    if any(callable(value) for value in kwargs.values()):
        message = "it was given a function, as which anything may be given"
        raise Skip(message)
    player = Player(subject, env, SEED)
    if player.reset(seed=SEED).error is not None or player.step().error is not None:
        message = "it does not work (GK680)"
        raise Skip(message)
    action = player.sample()
    subject.at("pickle")
    try:
        with subject.surviving():
            twin, third = (pickle.loads(pickle.dumps(env)) for _ in range(2))  # noqa: S301 - it was pickled here
    except (Exception, RecursionError) as exc:
        name, resource = culprit(env, lambda value: pickle.loads(pickle.dumps(value)))  # noqa: S301 - as above
        if resource:
            message = f"it holds {name}, of which there is no copy"
            raise Skip(message) from exc
        where = f", because of {name}" if name else ""
        message = f"it cannot be pickled{where}: {type(exc).__name__}: {short(str(exc), 100)}"
        yield Fault(message, "__init__", program(subject, one, "env.reset(seed=5)", "pickle.dumps(env)"))
        return
    a, b, c = (_next(subject, one_env, player, action) for one_env in (env, twin, third))
    if c.error is None and b.error is None and part_of(b, c):
        message = "two copies differ from each other (GK689)"
        raise Skip(message)
    if b.error is not None or part_of(a, b):
        how = (
            f"raised {type(b.error).__name__}: {b.error}" if b.error else "{}: {}".format(*(part_of(a, b) or ("", "")))
        )
        lines = ("env.reset(seed=5)", "twin = pickle.loads(pickle.dumps(env))", "action = env.action_space.sample()")
        show = program(subject, one, *lines, "print(env.step(action)[:2], twin.step(action)[:2])")
        yield Fault(f"a pickled copy goes on in another way than its original: {how}", "__getstate__", show)


def _next(subject: Subject, env: Any, before: Player, action: Any) -> Call:
    """One step of a copy."""
    player = Player(subject, env, SEED)
    player.trace.calls.append(before.trace.calls[-1])
    return player.step(snapshot(action))


(GK688,) = both(
    "GK688",
    "",
    "it can be pickled",
    why="Vector backends, schedulers and checkpoints send environments with their wrappers to other processes.",
    mend="Use functions of the module instead of lambdas and local classes, and make in __setstate__ what has no copy.",
    severity="warning",
)(_pickles)


def _repeats(subject: Subject, seen: list[Worn]) -> Iterator[Fault]:
    """Two of them with one seed and the same actions, with the global generators in other states."""

    def of(subject: Subject, one: Worn) -> Iterator[Fault]:
        env, _ = put_on(subject, one.kind)
        player = Player(subject, env, SEED)
        with global_generators_elsewhere(), contextlib.suppress(Skip):
            for before in one.trace.good:
                options = {"level": 1} if before.seed is not None else None
                call = (
                    player.reset(before.seed, options)
                    if before.method == "reset"
                    else player.step(copy.deepcopy(before.action_kept))
                )
                if found := part_of(before, call):
                    message = f"with the same seed and actions, two of them part at {before.when}, in the {found[0]}: "
                    make = program(subject, one).removeprefix("env = ")
                    lines = [f"envs = [{make} for _ in range(2)]", "for env in envs:", "    env.action_space.seed(5)"]
                    lines += ["    print(env.reset(seed=5))", "    print(env.step(env.action_space.sample()))"]
                    yield Fault(message + found[1], before.method, "\n".join(lines))
                    return

    yield from _first(subject, seen, of)


GK689, GK679 = both(
    "GK689",
    "GK679",
    "the same seed and actions give the same",
    why="A run cannot be repeated: what the wrapper draws, no seed reaches.",
    mend="Draw from self.np_random, which is the generator of the environment inside.",
)(_repeats)
