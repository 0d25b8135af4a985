"""The exceptions of gymkernel. Most of them derive from `Error`; a few keep the base class of an older API."""


class _Base(Exception):
    """The first base class of `Error`; a companion plugin adds another library's base class beside it."""


class Error(_Base):
    """Base class of gymkernel's exceptions."""


class UnregisteredEnv(Error):
    """No environment is registered under the requested id."""


class NamespaceNotFound(UnregisteredEnv):
    """The namespace of the id is unknown."""


class NameNotFound(UnregisteredEnv):
    """The name of the id is unknown in its namespace."""


class VersionNotFound(UnregisteredEnv):
    """The name is known, but the requested version is newer than every registered version."""


class DeprecatedEnv(Error):
    """The name is known, but the requested version is older than the registered versions and no longer available."""


class RegistrationError(Error):
    """A registration contradicts an existing registration of an environment id or of an operation on a class."""


class DependencyNotInstalled(Error):
    """A library that this feature needs is not installed."""


class UnsupportedMode(Error):
    """The environment does not support the render mode."""


class InvalidMetadata(Error):
    """The `metadata` of an environment does not follow the API."""


class ResetNeeded(Error):
    """`step` or `render` was called before the first `reset`."""


class InvalidAction(Error):
    """The action is not an element of the action space."""


class MissingArgument(Error):
    """A required argument is missing."""


class InvalidProbability(Error):
    """A probability is not in [0, 1]."""


class InvalidBound(Error):
    """The bounds of a transformation do not fit the space or each other."""


class DeprecatedWrapper(ImportError):
    """The wrapper was renamed; the message contains the new name."""


class CustomSpaceError(Error):
    """An operation is not defined for a space, and no function is registered for its class."""


class NoSpace(CustomSpaceError, TypeError, ValueError):
    """An operation was called with an object that is not a space; the base classes follow two documented APIs."""


class ClosedEnvironmentError(Error):
    """A method of a closed vector environment was called."""


class _CallError(Error):
    """Base class of errors about asynchronous calls."""

    def __init__(self, message: str, name: str) -> None:
        """Store the message and the name of the call."""
        Exception.__init__(self, message)  # not `super()`: a companion may add a base class that has a constructor
        self.name = name


class AlreadyPendingCallError(_CallError):
    """An asynchronous call was started while another call, `name`, was still waiting for results."""


class NoAsyncCallError(_CallError):
    """Results of the call `name` were requested, but no asynchronous call was started."""


class UnknownName(Error, AttributeError):
    """No known plugin provides the name. The class is also an `AttributeError`, so that `hasattr` works."""


class PluginError(Error, ImportError):
    """A plugin cannot be used; as an `ImportError`, the message survives `from gymkernel.spaces import X`."""


class MissingPlugin(PluginError, ModuleNotFoundError):
    """The name is known, but the distribution that provides it is not installed."""


class BrokenPlugin(PluginError):
    """The plugin is installed but cannot be loaded; `__cause__` is the original exception."""


class DisabledPlugin(PluginError):
    """The plugin is installed but disabled by `GYMKERNEL_DISABLE`."""


class PluginConflict(PluginError):
    """Two installed distributions provide the same name."""
