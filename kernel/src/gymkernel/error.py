"""Every exception that gymkernel raises on purpose; all derive from `Error` unless an older contract says otherwise."""


class _Base(Exception):
    """The first base of `Error`, beside which the companion of another library can put that library's class."""


class Error(_Base):
    """Base of gymkernel's exceptions."""


class UnregisteredEnv(Error):
    """No environment is registered under the id that was asked for."""


class NamespaceNotFound(UnregisteredEnv):
    """The namespace of the id is unknown."""


class NameNotFound(UnregisteredEnv):
    """The name of the id is unknown in its namespace."""


class VersionNotFound(UnregisteredEnv):
    """The name is known, the version is newer than every registered one."""


class DeprecatedEnv(Error):
    """The name is known, the version is older than the registered ones and gone."""


class RegistrationError(Error):
    """A registration contradicts one that exists: an environment id, or an operation of a class."""


class DependencyNotInstalled(Error):
    """A library that this feature needs is not installed."""


class UnsupportedMode(Error):
    """The render mode is not one that the environment offers."""


class InvalidMetadata(Error):
    """`metadata` of an environment is not what the API asks for."""


class ResetNeeded(Error):
    """`step` or `render` was called before the first `reset`."""


class InvalidAction(Error):
    """The action is not an element of the action space."""


class MissingArgument(Error):
    """A required argument was left out."""


class InvalidProbability(Error):
    """A probability is not in [0, 1]."""


class InvalidBound(Error):
    """The bounds of a transformation do not fit the space or each other."""


class DeprecatedWrapper(ImportError):
    """The wrapper's name was changed; the message has the new one."""


class CustomSpaceError(Error):
    """An operation has no meaning for this space and nothing registered gives it one."""


class NoSpace(CustomSpaceError, TypeError, ValueError):
    """An operation was asked of something that is no space (what one documented API or another raises there)."""


class ClosedEnvironmentError(Error):
    """A closed vector environment was used."""


class _CallError(Error):
    """An error of asynchronous calls."""

    def __init__(self, message: str, name: str) -> None:
        """`name`: the call that it is about."""
        Exception.__init__(self, message)  # not by super: a companion may add a base with a constructor
        self.name = name


class AlreadyPendingCallError(_CallError):
    """An asynchronous call was started while another, which `name` has, waits for its results."""


class NoAsyncCallError(_CallError):
    """Results of the call `name` were asked for although no asynchronous call waits."""


class UnknownName(Error, AttributeError):
    """Nobody provides the name, and nobody is known who would (an AttributeError, so that `hasattr` works)."""


class PluginError(Error, ImportError):
    """A plugin cannot be used (an ImportError, whose text survives `from gymkernel.spaces import X`)."""


class MissingPlugin(PluginError, ModuleNotFoundError):
    """The name is known and the distribution that provides it is not installed."""


class BrokenPlugin(PluginError):
    """The plugin is installed and cannot be loaded; `__cause__` has the reason."""


class DisabledPlugin(PluginError):
    """The plugin is installed and switched off by `GYMKERNEL_DISABLE`."""


class PluginConflict(PluginError):
    """Two installed distributions provide one name."""
