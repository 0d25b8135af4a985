"""Catch the errors of one library with the exception classes of the other."""

import gymnasium
import gymnasium.error
import pytest

import gymkernel

env = gymkernel.make("CartPole-v1")
with pytest.raises(gymnasium.error.ResetNeeded):
    env.step(0)
with pytest.raises(gymnasium.error.NameNotFound):
    gymkernel.make("CartPoel-v1")
with pytest.raises(gymnasium.error.VersionNotFound):
    gymkernel.make("CartPole-v99")
with pytest.raises(gymnasium.error.Error):
    gymkernel.make("malformed id!")
with pytest.raises(gymnasium.error.DependencyNotInstalled):
    raise gymkernel.error.DependencyNotInstalled("pip install it")
try:
    gymkernel.make("NoNamespace/CartPole-v1")
except gymnasium.error.UnregisteredEnv as failure:
    assert isinstance(failure, gymkernel.error.Error)
    assert isinstance(failure, gymnasium.error.NamespaceNotFound)
names = [name for name in dir(gymnasium.error) if isinstance(getattr(gymnasium.error, name), type) and name != "DeprecatedWrapper"]
for name in names:
    assert issubclass(getattr(gymkernel.error, name), getattr(gymnasium.error, name)), name
