"""Functions that generate stubs with the constructors of wrappers that are not installed, for type checkers.

The stub `_declared.pyi` declares the bases and the constructor of each wrapper, which are read from its plugin's source
code. The stub `_installed.pyi` imports every plugin with `import *`, both before and after the declarations. If a
plugin is not installed, these imports provide no name, and the declaration remains. If the plugin is installed, its
class takes precedence over the declaration, because mypy uses the first definition of a name, and pyright the last.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

DECLARED: Final = '''"""The constructors of wrappers whose plugins are not installed; stamped by tools/sync.py."""

{imports}

class _Undeclared:
    def __getattr__(self, name: str, /) -> Any: ...

{classes}
'''
INSTALLED: Final = '''"""The wrappers of installed plugins, and declarations of the others; stamped by tools/sync.py."""
# mypy: disable-error-code="assignment"

{plugins}
from gymkernel.wrappers._declared import *
{plugins}
'''


class StubError(Exception):
    """Raised if a wrapper cannot be declared in a stub because of an error in its source code."""


@dataclass(frozen=True)
class Module:
    """A parsed module of a plugin."""

    name: str
    classes: dict[str, ast.ClassDef]
    imports: dict[str, str]  # maps each imported name to `module:attribute`, or to `module` for an imported module

    def home(self, name: str) -> str:
        """Return the place from which a stub must import a name of this module, as `module:attribute` or `module`."""
        return self.imports.get(name, f"{self.name}:{name}")


def source(root: Path, name: str) -> Path | None:
    """Return the file of a plugin's module, or None if the workspace contains no such module."""
    folder = next(root.glob(f"plugins/*/*/src/{name.partition('.')[0]}"), None)
    if folder is None:
        return None
    path = folder.parent / name.replace(".", "/")
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _read(name: str, text: str) -> Module:
    classes, imports = {}, {}
    for node in _statements(ast.parse(text).body):
        if isinstance(node, ast.ClassDef):
            classes[node.name] = node
        elif isinstance(node, ast.Import):
            imports.update({alias.asname or alias.name.partition(".")[0]: alias.name for alias in node.names})
        elif isinstance(node, ast.ImportFrom):
            imports.update({alias.asname or alias.name: f"{node.module}:{alias.name}" for alias in node.names})
    return Module(name, classes, imports)


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a module, including those inside top-level `if` statements."""
    return [inner for node in body for inner in ([node, *node.body] if isinstance(node, ast.If) else [node])]


def stubs(root: Path, wrappers: dict[str, str]) -> dict[str, str]:
    """Return the text of each stub, keyed by file name.

    Args:
        root: the root of the workspace.
        wrappers: maps the name of each wrapper to `module:attribute`, where the module is in the workspace.
    """
    declarations = Declarations(root, wrappers)
    classes = "\n".join(declarations.declare(name) for name in wrappers)
    modules = sorted({value.partition(":")[0] for value in wrappers.values()})
    plugins = "\n".join(f"from {name} import *" for name in modules)
    return {
        "_declared.pyi": DECLARED.format(imports=declarations.import_lines(), classes=classes),
        "_installed.pyi": INSTALLED.format(plugins=plugins),
    }


def _shown(default: ast.expr) -> ast.expr:
    """Return the source code of a default value in a stub, which is `...` unless the value is a constant."""
    return default if isinstance(default, ast.Constant) else ast.Constant(...)


def _names(node: ast.AST) -> list[str]:
    """Return the distinct names in an expression, in the order in which they occur."""
    found = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return list(dict.fromkeys(name.id for name in sorted(found, key=lambda name: name.col_offset)))


def _parameters(module: Module, cls: ast.ClassDef) -> list[str]:
    """Return the type parameters of a class, in order."""
    names = dict.fromkeys(name for base in cls.bases for name in _names(base))
    return [name for name in names if module.home(name) == f"gymkernel.protocols:{name}" and name.endswith("Type")]


class Declarations:
    """A collection of wrapper declarations and the imports that they need."""

    def __init__(self, root: Path, wrappers: dict[str, str]) -> None:
        self.root, self.wrappers = root, wrappers
        self.imports: dict[str, str] = {"Any": "typing:Any"}
        self._modules: dict[str, Module | None] = {}

    def declare(self, name: str) -> str:
        """Return the declaration of a wrapper."""
        module, cls = self._find(self.wrappers[name])
        constructor = self._constructor(module, cls)
        bases = self._bases(module, cls)
        lines = [f"class {name}({', '.join(dict.fromkeys([*bases, '_Undeclared']))}):"]
        return "\n".join([*lines, f"    {constructor}" if constructor else "    pass"])

    def _module(self, name: str) -> Module | None:
        """Return a module of a plugin, or None if the workspace contains no such module."""
        if name not in self._modules:
            file = source(self.root, name)
            self._modules[name] = _read(name, file.read_text(encoding="utf-8")) if file else None
        return self._modules[name]

    def _find(self, value: str) -> tuple[Module, ast.ClassDef]:
        """Return the class that `module:attribute` refers to, and the module that defines the class."""
        name, _, attribute = value.partition(":")
        module = self._module(name)
        if module is None:
            raise StubError(f"{value} is not in this workspace")
        if attribute in module.classes:
            return module, module.classes[attribute]
        if attribute in module.imports:
            return self._find(module.imports[attribute])
        raise StubError(f"{name} does not define {attribute}; define the class there, or import the class into it")

    def _local(self, module: Module, base: ast.expr) -> tuple[Module, ast.ClassDef] | None:
        """Return a base class that is defined by a plugin, or None if another package defines it."""
        expression = base.value if isinstance(base, ast.Subscript) else base
        if not isinstance(expression, ast.Name):
            return None
        home = module.home(expression.id)
        return self._find(home) if ":" in home and self._module(home.partition(":")[0]) else None

    def _constructor(self, module: Module, cls: ast.ClassDef) -> str:
        """Return the signature of a class's constructor, or an empty string if an external base class defines it."""
        for node in cls.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                return self._signature(module, node)
        for base in cls.bases:
            if (found := self._local(module, base)) and (signature := self._constructor(*found)):
                return signature
        return ""

    def _signature(self, module: Module, function: ast.FunctionDef) -> str:
        """Return a constructor's signature as one line."""
        copied: ast.FunctionDef = ast.parse(ast.unparse(function)).body[0]  # type: ignore[assignment]
        copied.body, copied.decorator_list = [ast.Expr(ast.Constant(...))], []
        arguments = copied.args
        arguments.defaults = [_shown(default) for default in arguments.defaults]
        arguments.kw_defaults = [default and _shown(default) for default in arguments.kw_defaults]
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        for argument in every:
            if argument and argument.annotation:
                argument.annotation = self._resolve(module, argument.annotation)
        return ast.unparse(copied).replace("\n    ", " ")

    def _bases(self, module: Module, cls: ast.ClassDef) -> list[str]:
        """Return the bases of a class.

        Base classes from plugins are replaced by their own bases unless they are declared.
        """
        bases = []
        for base in cls.bases:
            found = self._local(module, base)
            if found is None:
                bases.append(ast.unparse(self._resolve(module, base)))
            elif self.wrappers.get(found[1].name) and self._find(self.wrappers[found[1].name]) == found:
                bases.append(ast.unparse(self._resolve(module, base, {found[1].name})))
            elif isinstance(base, ast.Subscript) and _names(base.slice) != _parameters(*found):
                raise StubError(
                    f"The stub of {cls.name} cannot contain the base {ast.unparse(base)} of a plugin; "
                    f"use a base from the kernel, or the type parameters of {found[1].name}"
                )
            else:
                bases += self._bases(*found)
        return list(dict.fromkeys(bases))

    def _resolve(self, module: Module, node: ast.expr, declared: set[str] = frozenset()) -> ast.expr:  # type: ignore[assignment]
        """Record the imports for the names in an annotation or base, and return its code with unambiguous names."""
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)
        parsed = ast.parse(text, mode="eval").body
        for name in [part for part in ast.walk(parsed) if isinstance(part, ast.Name)]:
            if name.id in declared or (hasattr(builtins, name.id) and name.id not in module.imports):
                continue
            home = module.home(name.id)
            if self.imports.setdefault(name.id, home) != home:
                other = f"{name.id}_{home.partition(':')[0].rpartition('_wrapper_')[2].replace('.', '_')}"
                self.imports[other] = home
                name.id = other
        return parsed

    def import_lines(self) -> str:
        """Return the import statements for all names in the declarations."""
        lines = set()
        for name, home in self.imports.items():
            module, _, attribute = home.partition(":")
            if attribute:
                lines.add(f"from {module} import {attribute}" + (f" as {name}" if attribute != name else ""))
            else:
                lines.add(f"import {module}" + (f" as {name}" if module != name else ""))
        return "\n".join(sorted(lines))
