"""GK91x and GK92x: rules about the metadata, dependencies and imports of a distribution package."""

from __future__ import annotations

import ast
import re
import sys
from typing import Any, Final

from gymkernel import error, plugins, registration
from gymkernel.suggestions import did_you_mean
from gymkernel_tool_check import installed
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.probes.publishing import FACADES, SLOW, Importing, Publication, provider, tree_of
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short

FEW: Final = 5
NOTHING: Final = (None, "", "UNKNOWN")
"""Values that indicate that a metadata field is empty."""


def groups_are_read(subject: Subject, seen: Publication) -> Faults:
    """Check that gymkernel reads every entry-point group whose name begins with "gymkernel".

    Why: Entry points in a group that gymkernel does not read are silently ignored.
    Fix: Use the group names that gymkernel defines: gymkernel.envs, gymkernel.spaces, gymkernel.wrappers and so on.
    """
    known = [f"gymkernel.{kind}" for kind in plugins.KINDS]
    for group, names in seen.groups.items():
        if group not in known:
            message = f"gymkernel ignores the entry-point group {group!r}, which contains {', '.join(names)}"
            near = did_you_mean(group, known)
            yield Fault(f"{message}{near and f'; {near}'}")


def states_its_python(metadata: Any) -> bool:
    """Look for the field Requires-Python in the metadata.

    Why: Without Requires-Python, pip installs the distribution even on Python versions that cannot run it.
    Fix: Set requires-python in pyproject.toml, for example requires-python = ">=3.11".
    """
    return bool(metadata.get("Requires-Python"))


def states_its_licence(metadata: Any) -> bool:
    """Look for a licence expression, an older licence field, a classifier or a licence file.

    Why: Without a licence, nobody is allowed to use the distribution, and companies and package indexes filter it out.
    Fix: Set license in pyproject.toml, for example license = "MIT".
    """
    fields = ("License-Expression", "License", "License-File")
    classified = any(classifier.startswith("License ::") for classifier in metadata.get_all("Classifier") or ())
    return classified or any(metadata.get(name) not in NOTHING for name in fields)


def describes_itself(subject: Subject, seen: Publication) -> Faults:
    """Look for a summary and a description in the metadata.

    Why: The project's page on a package index consists mainly of the summary and the readme.
    Fix: Set description and readme = "README.md" in pyproject.toml.
    """
    summary = seen.metadata.get("Summary")
    if summary in NOTHING:
        yield Fault("the metadata contains no summary (the field Summary)")
    payload = seen.metadata.get_payload() if hasattr(seen.metadata, "get_payload") else ""
    if not (seen.metadata.get("Description") or str(payload or "").strip()):
        yield Fault("the metadata contains no readme (the field Description)")


def imports_are_fast(subject: Subject, seen: dict[str, Importing]) -> Faults:
    """Measure how long it takes to import each entry-point module in a new interpreter, without NumPy and gymkernel.

    Why: Every program, worker and shell completion has to wait for the import, even if it never uses the module.
    Fix: Import large packages inside the functions that use them. gymkernel itself imports a plugin only when its name
    is used.
    """
    for module, importing in seen.items():
        seconds = importing.seconds
        if seconds > SLOW:
            heaviest = max(importing.packages, key=lambda name: importing.packages[name])
            share = f"{importing.packages[heaviest]:.1f} s of them for {heaviest}"
            yield Fault(f"importing {module} takes {seconds:.1f} s, {share}", show=f"import {module}")


def declares_its_dependencies(subject: Subject, seen: Publication) -> Faults:
    """Check that the metadata declares every third-party package that the distribution imports.

    Imports in `try` blocks and imports for type checkers only are ignored.

    If the distribution imports a name that a plugin provides, such as `gymkernel.spaces.Box`, it must also declare the
    plugin.

    Why: An undeclared package may happen to be installed on the author's machine, but elsewhere the import fails.
    Fix: Add the package to dependencies in pyproject.toml, or import it in a try block that catches ImportError.
    """
    if not any(seen.files.values()):
        raise Skip("the source code of the packages was not found")
    own = installed.normalize(subject.found["distribution"])
    known, reported = seen.needs | {own}, set[str]()
    for imported in seen.imports:
        package = imported.name.partition(".")[0]
        if package in sys.stdlib_module_names or package in seen.files:
            continue
        name = installed.normalize(package)
        names = [name] if name in known else installed.providers_of(package)
        behind = provider(imported.name)
        missing = [] if known & set(names) else [f"{package} (of {names[0]})" if names[0] != package else package]
        missing += [f"{imported.name} (of {behind})"] if behind and behind not in known else []
        for what in missing:
            if what not in reported and len(reported) < FEW:
                reported.add(what)
                message = f"the distribution imports {what}, but does not require it"
                yield Fault(message, place=(imported.file, imported.line))


def ships_its_types(subject: Subject, seen: Publication) -> Faults:
    """Look for the file py.typed in packages in which most functions are annotated.

    Why: Without the file py.typed, type checkers ignore the annotations of an installed package.
    Fix: Add an empty file py.typed next to the package's __init__.py, and include it in the wheel.
    """
    for package, files in seen.files.items():
        initial = next((file for file in files if file.name == "__init__.py"), None)
        if initial is None or (initial.parent / "py.typed").is_file():
            continue
        nodes = [node for file in files for node in ast.walk(tree_of(file))]
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        if functions and sum(node.returns is not None for node in functions) > len(functions) / 2:
            yield Fault(f"{package} is annotated but has no py.typed", place=(str(initial), 1))


def declares_its_wrappers(subject: Subject, seen: Publication) -> Faults:
    """Check that the distribution requires the packages of all wrappers that `make` adds to its environments.

    Why: make adds these wrappers by name, so the distribution's own code does not import them. If their packages are
    not installed, make fails.
    Fix: Add the distributions that provide the wrappers to dependencies, or disable the wrappers, for example with
    `order_enforce=False`.
    """
    own = installed.normalize(subject.found["distribution"])
    reported = seen.needs | {own}
    for env_id in seen.groups.get("gymkernel.envs", ()):
        subject.at("the import")
        try:
            with subject.catching_exit():
                spec = registration.spec(env_id)
        except (error.Error, ImportError):
            continue  # GK911 reports the error
        wrappers = {
            "gymkernel.wrappers.TimeLimit": spec.max_episode_steps is not None,
            "gymkernel.wrappers.OrderEnforcing": spec.order_enforce,
            "gymkernel.wrappers.PassiveEnvChecker": not spec.disable_env_checker,
        } | {str(wrapper_spec.entry_point).replace(":", "."): True for wrapper_spec in spec.additional_wrappers}
        for name in (name for name, is_used in wrappers.items() if is_used):
            package = name.partition(".")[0]
            behind = provider(name) or installed.providers_of(package)[0]
            if behind not in reported and package not in seen.files:
                reported = reported | {behind}
                wrapper = name.rpartition(".")[2]
                yield Fault(f"{env_id} uses {wrapper} from {behind}, which the distribution does not require")


def imports_are_silent(subject: Subject, seen: dict[str, Importing]) -> Faults:
    """Import each entry-point module in a new interpreter, and check that nothing is printed.

    Why: Text that is printed during the import appears in every program and worker, and corrupts output that other
    programs parse.
    Fix: Print text and issue warnings only inside functions, or use the logging module.
    """
    for module, importing in seen.items():
        if importing.printed.strip():
            yield Fault(f"importing {module} prints {short(importing.printed.strip())}", show=f"import {module}")


def imports_seed_nothing(subject: Subject, seen: dict[str, Importing]) -> Faults:
    """Compare the states of `random` and `numpy.random` before and after the import, in a new interpreter.

    Why: A program that has seeded the global generators gets different numbers just because this distribution is
    installed. A program that has not seeded them may get the same numbers in each run.
    Fix: Use your own generator (numpy.random.default_rng) inside functions, and never seed the global generators.
    """
    for module, importing in seen.items():
        for name in importing.seeded:
            state = f"repr({name}.{'getstate' if name == 'random' else 'get_state'}())"
            show = f"import {name}\n\nbefore = {state}\nimport {module}\nprint(before == {state})"
            yield Fault(f"importing {module} changes the state of the global generator of {name}", show=show)


def imports_public_names(subject: Subject, seen: Publication) -> Faults:
    """Look for imports of private names, and of names that should be imported from gymkernel instead.

    Distributions from the same repository are released together, so they may import public names directly from the
    modules that define them.

    Why: Private modules may change in any release, and a different plugin may later provide a public name.
    Fix: Import from gymkernel: `from gymkernel.spaces import Box`, not `from gymkernel_space_box import Box`.
    """
    known = {installed.normalize(imported.distribution) for imported in plugins.plugins()} | {"gymkernel"}
    known |= {name for name in seen.needs if name.startswith("gymkernel-")}  # a distribution may have no entry points
    home = _repository(seen.metadata)
    released_together = {name for name in known if home and _repository(installed.distribution(name)) == home}
    for imported in seen.imports:
        package, *rest = imported.name.split(".")
        owners = known & set(installed.providers_of(package))
        if package in seen.files or not owners:
            continue
        is_apart = package.startswith("gymkernel_") and not released_together & owners
        if any(part.startswith("_") and not part.endswith("__") for part in rest):
            message = f"the distribution imports {imported.name}, which is private to {min(owners)}"
            yield Fault(message, place=(imported.file, imported.line))
        elif is_apart and (public := _public_name(imported.name)):
            message = f"the distribution imports {imported.name}, whose public name is {public}"
            yield Fault(message, place=(imported.file, imported.line))


def _repository(metadata: Any) -> str | None:
    """Return the URL of the source code from a distribution's metadata, or None if there is none."""
    urls = (getattr(metadata, "metadata", metadata).get_all("Project-URL") or ()) if metadata else ()
    return next((url for url in urls if url.startswith("Source,")), None)


def _public_name(name: str) -> str:
    """Return the public name under which gymkernel exports a plugin's object, or "" if there is none."""
    facades = {kind: facade for facade, kind in FACADES.items()} | dict.fromkeys(plugins.PLACES, "gymkernel")
    offered = {
        plugin.value.replace(":", "."): f"{facades[plugin.kind]}.{plugin.name}"
        for plugin in reversed(plugins.plugins())
        if plugin.kind in facades
    }
    path = name
    while path and path not in offered:
        path = path.rpartition(".")[0]
    return offered[path] + name.removeprefix(path) if path else ""


def bounds_the_kernel(subject: Subject, seen: Publication) -> Faults:
    """Check that the requirement on gymkernel has an upper bound.

    Why: Without an upper bound, pip may install a later, incompatible release of gymkernel, which breaks the
    distribution.
    Fix: Require a range of versions: dependencies = ["gymkernel>=0.1,<1"]. The lower bound should be the oldest version
    that you test.
    """
    for need in seen.requires:
        asked = need.partition(";")[0]
        if re.match(r"gymkernel(?![\w.-]*\w)", asked) and not re.search(r"<|==|~=|@", asked):
            yield Fault(f"the distribution requires {asked.strip()!r} without an upper bound")


def packaging_tools_accept_it(subject: Subject, seen: dict[str, str]) -> Faults:
    """Run `validate-pyproject` on pyproject.toml and `twine check` on dist/, if these tools are installed.

    Why: pip cannot install a project whose pyproject.toml is invalid, and package indexes reject invalid metadata.
    Fix: Correct the reported error. Run `validate-pyproject pyproject.toml` or `twine check dist/*` to see the details.
    """
    for tool, mistake in seen.items():
        if mistake:
            yield Fault(f"{tool.replace('_', '-')} reports an error: {short(mistake)}")
