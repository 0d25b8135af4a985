"""Choose a function according to the class of a space, with isinstance, singledispatch and match."""

import functools

import gymnasium
from gymnasium import spaces

import gymkernel


@functools.singledispatch
def width(space):
    raise TypeError(space)


@width.register(spaces.Box)
def _(space):
    return int(space.shape[0])


@width.register(spaces.Discrete)
def _(space):
    return int(space.n)


@width.register(spaces.Dict)
def _(space):
    return sum(width(part) for part in space.spaces.values())


def name(space):
    match space:
        case spaces.Discrete(n=n):
            return f"{n} actions"
        case spaces.Box(shape=shape):
            return f"box {shape}"


env = gymkernel.make("CartPole-v1")
assert width(env.observation_space) == 4 and width(env.action_space) == 2
assert width(gymkernel.spaces.Dict(a=env.action_space, b=gymnasium.spaces.Discrete(5))) == 7
assert name(env.action_space) == "2 actions" and name(env.observation_space) == "box (4,)"
assert issubclass(type(env.action_space), spaces.Discrete)
