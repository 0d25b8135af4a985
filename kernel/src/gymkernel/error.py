"""The exceptions that gymkernel raises. All but `DeprecatedWrapper`, which is an `ImportError`, derive from `Error`."""


class _Base(Exception):
    """The first base class of `Error`, beside which a companion plugin adds another library's base class."""


class Error(_Base):
    """The base class of gymkernel's exceptions."""


class UnregisteredEnv(Error):
    """Raised when no environment is registered under the requested id."""


class NamespaceNotFound(UnregisteredEnv):
    """Raised when the namespace of the requested id is unknown."""


class NameNotFound(UnregisteredEnv):
    """Raised when the namespace of the requested id contains no environment of this name."""


class VersionNotFound(UnregisteredEnv):
    """Raised when the name is known, but the requested version is newer than every registered version."""


class DeprecatedEnv(Error):
    """Raised when the name is known, but the requested version is older than the registered ones and was removed."""


class RegistrationError(Error):
    """Raised when a registration of an environment id or an operation conflicts with an existing registration."""


class DependencyNotInstalled(Error):
    """Raised when a library that the requested feature needs is not installed."""


class UnsupportedMode(Error):
    """Raised when an environment does not support the requested render mode or operation."""


class InvalidMetadata(Error):
    """Raised when an environment's `metadata` does not follow the API."""


class ResetNeeded(Error):
    """Raised when `step` or `render` is called before the first `reset`."""


class InvalidAction(Error):
    """Raised when an action is not an element of the action space."""


class MissingArgument(Error):
    """Raised when a required argument is missing."""


class InvalidProbability(Error):
    """Raised when a probability is not between 0 and 1."""


class InvalidBound(Error):
    """Raised when a transformation's bounds contradict each other or do not suit the space."""


class DeprecatedWrapper(ImportError):
    """Raised when a wrapper is requested by its old name; the message contains the new name."""


class CustomSpaceError(Error):
    """Raised when an operation is not defined for a space and no function is registered for the space's class."""


class NoSpace(CustomSpaceError, TypeError, ValueError):
    """Raised when an operation is called with an object that is not a space.

    The three base classes keep existing `except` clauses working.
    """


class ClosedEnvironmentError(Error):
    """Raised when a method of a closed vector environment is called."""


class _CallError(Error):
    """The base class of errors about asynchronous calls."""

    def __init__(self, message: str, name: str) -> None:
        """Store the message and the name of the call."""
        Exception.__init__(self, message)  # not `super()`: a companion may add a base class that has a constructor
        self.name = name


class AlreadyPendingCallError(_CallError):
    """Raised when an asynchronous call is started before the results of another call, `name`, have been fetched."""


class NoAsyncCallError(_CallError):
    """Raised when the results of the call `name` are requested, but no such asynchronous call was started."""


class UnknownName(Error, AttributeError):
    """Raised when no known plugin provides a name; this is an `AttributeError`, so that `hasattr` works."""


class PluginError(Error, ImportError):
    """Raised when a plugin cannot be used.

    This is an `ImportError`, because only then does `from gymkernel.spaces import X` show the message.
    """


class MissingPlugin(PluginError, ModuleNotFoundError):
    """Raised when a name is known, but the distribution that provides it is not installed."""


class BrokenPlugin(PluginError):
    """Raised when a plugin is installed but cannot be loaded; `__cause__` is the original exception."""


class DisabledPlugin(PluginError):
    """Raised when a plugin is installed but disabled by `GYMKERNEL_DISABLE`."""


class PluginConflict(PluginError):
    """Raised when several installed distributions provide the same name."""
