"""The exceptions that gymkernel raises. All except `DeprecatedWrapper` derive from `Error`."""


class _Base(Exception):
    """A base class that lets companion plugins add base classes of other libraries to `Error`."""


class Error(_Base):
    """The base class of gymkernel's exceptions."""


class UnregisteredEnv(Error):
    """Raised if no environment is registered under the requested id."""


class NamespaceNotFound(UnregisteredEnv):
    """Raised if the namespace of the requested id is unknown."""


class NameNotFound(UnregisteredEnv):
    """Raised if the namespace of the requested id contains no environment with the requested name."""


class VersionNotFound(UnregisteredEnv):
    """Raised if the requested version of an environment is newer than all registered versions."""


class DeprecatedEnv(Error):
    """Raised if the requested version of an environment is no longer available."""


class RegistrationError(Error):
    """Raised if registering an environment or an operation conflicts with an earlier registration."""


class DependencyNotInstalled(Error):
    """Raised if a feature needs a library that is not installed."""


class UnsupportedMode(Error):
    """Raised if an environment does not support the requested render mode or operation."""


class InvalidMetadata(Error):
    """Raised if the `metadata` of an environment is invalid."""


class ResetNeeded(Error):
    """Raised if `step` or `render` is called before the first `reset`."""


class InvalidAction(Error, ValueError):
    """Raised if an action is not an element of the action space."""


class MissingArgument(Error):
    """Raised if a required argument is missing."""


class InvalidProbability(Error):
    """Raised if a probability is not between 0 and 1."""


class InvalidBound(Error):
    """Raised if the bounds of a transformation contradict each other or do not match the space."""


class DeprecatedWrapper(ImportError):
    """Raised if a wrapper is requested by its old name. The message contains the new name."""


class CustomSpaceError(Error):
    """Raised if an operation does not support a space, and no function is registered for the space's class."""


class NoSpace(CustomSpaceError, TypeError, ValueError):
    """Raised if an operation is called with an object that is not a space.

    Because of the three base classes, existing `except` clauses also catch this exception.
    """


class ClosedEnvironmentError(Error):
    """Raised if a method of a closed vector environment is called."""


class _CallError(Error):
    """The base class of errors in the use of asynchronous calls."""

    def __init__(self, message: str, name: str) -> None:
        """Store the message and the name of the call."""
        Exception.__init__(self, message)  # not `super()`: a companion may add a base class with a constructor
        self.name = name


class AlreadyPendingCallError(_CallError):
    """Raised if an asynchronous call is started while the results of another call are still pending."""


class NoAsyncCallError(_CallError):
    """Raised if the results of an asynchronous call are requested, but the call has not been started."""


class UnknownName(Error, AttributeError):
    """Raised if no known plugin provides a name. It is an `AttributeError`, so that `hasattr` works."""


class PluginError(Error, ImportError):
    """Raised if a plugin cannot be used.

    It is an `ImportError`, because `from gymkernel.spaces import X` hides the message of any other exception.
    """


class MissingPlugin(PluginError, ModuleNotFoundError):
    """Raised if the distribution that provides a known name is not installed."""


class BrokenPlugin(PluginError):
    """Raised if an installed plugin cannot be loaded. Its `__cause__` is the original exception."""


class DisabledPlugin(PluginError):
    """Raised if an installed plugin is disabled by the environment variable `GYMKERNEL_DISABLE`."""


class PluginConflict(PluginError):
    """Raised if several installed distributions provide the same name."""
