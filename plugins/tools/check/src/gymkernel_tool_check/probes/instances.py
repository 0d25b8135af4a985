"""Making instances with further arguments."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from gymkernel_tool_check.definition import Skip

if TYPE_CHECKING:
    from gymkernel_tool_check.subject import Subject

__all__ = ["accepts", "instance"]


def instance(subject: Subject, **given: Any) -> Any:
    """A new environment, made with further arguments; what the constructor raises is passed on.

    Raises:
        Skip: there is but one environment, or what makes it does not take such arguments.
    """
    if subject.live is not None or subject.make is None:
        message = "needs a second instance; check the id, the class or a function that makes it"
        raise Skip(message)
    if not isinstance(subject.make, type) and not all(accepts(subject.make, name) for name in given):
        message = f"what makes the environment takes no {', '.join(given)}"
        raise Skip(message)
    if subject.options.single_instance:
        subject.close()
    subject.at("the constructor")
    with subject.catching_exit():
        env = subject.make(**given)
    subject.keep(env)
    return env


def accepts(function: Any, name: str) -> bool:
    """Whether a function or constructor takes an argument of this name; True where that cannot be known."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
