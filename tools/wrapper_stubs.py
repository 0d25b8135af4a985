"""Functions that generate stubs with the constructors of wrappers that are not installed, for type checkers.

There are two stubs for single-environment wrappers, and two for vector wrappers.

The stub `_declared.pyi` declares the bases and the constructor of each wrapper, which are read from its plugin's source
code. The stub `_installed.pyi` imports every plugin with `import *`, both before and after the declarations. If a
plugin is not installed, these imports provide no name, and the declaration remains. If the plugin is installed, its
class takes precedence over the declaration, because mypy uses the first definition of a name, and pyright the last.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

Node = TypeVar("Node", bound=ast.AST)
DECLARED: Final = '''"""The constructors of wrappers whose plugins are not installed; stamped by tools/sync.py."""

{imports}

class _Undeclared:
    def __getattr__(self, name: str, /) -> Any: ...

{classes}
'''
INSTALLED: Final = '''"""The wrappers of installed plugins, and declarations of the others; stamped by tools/sync.py."""
# mypy: disable-error-code="assignment"

{plugins}
from gymkernel.{path}._declared import *
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


def packages(root: Path) -> dict[str, Path]:
    """Return the source folder of each plugin's package, keyed by the name of the package."""
    return {package.name: package.parent for package in root.glob("plugins/*/*/src/*")}


def source(folders: dict[str, Path], name: str) -> Path | None:
    """Return the file of a plugin's module, or None if the workspace contains no such module.

    Args:
        folders: the result of `packages`.
        name: the dotted name of the module.
    """
    folder = folders.get(name.partition(".")[0])
    if folder is None:
        return None
    path = folder / name.replace(".", "/")
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@functools.lru_cache(maxsize=1024)
def _read(name: str, text: str) -> Module:
    """Parse a module. Results are cached, because the stubs of two packages need the same modules."""
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


def stubs(root: Path, path: str, wrappers: dict[str, str]) -> dict[str, str]:
    """Return the text of each stub, keyed by file name.

    Args:
        root: the root of the workspace.
        path: the path below `gymkernel` that provides the wrappers.
        wrappers: maps the name of each wrapper to `module:attribute`, where the module is in the workspace.
    """
    declarations = Declarations(root, wrappers)
    classes = "\n".join(declarations.declare(name) for name in wrappers)
    modules = sorted({value.partition(":")[0] for value in wrappers.values()})
    plugins = "\n".join(f"from {name} import *" for name in modules)
    return {
        "_declared.pyi": DECLARED.format(imports=declarations.import_lines(classes), classes=classes),
        "_installed.pyi": INSTALLED.format(path=path, plugins=plugins),
    }


def _shown(default: ast.expr) -> ast.expr:
    """Return the source code of a default value in a stub, which is `...` unless the value is a constant."""
    return default if isinstance(default, ast.Constant) else ast.Constant(...)


def _names(node: ast.AST) -> list[str]:
    """Return the distinct names in an expression, in the order in which they occur."""
    found = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return list(dict.fromkeys(name.id for name in sorted(found, key=lambda name: (name.lineno, name.col_offset))))


def _parameters(module: Module, cls: ast.ClassDef) -> list[str]:
    """Return the type parameters of a class, in order."""
    names = dict.fromkeys(name for base in cls.bases for name in _names(base))
    return [name for name in names if module.home(name) == f"gymkernel.protocols:{name}" and name.endswith("Type")]


def _replace(node: Node, arguments: dict[str, ast.expr]) -> Node:
    """Return a copy of some code in which type parameters are replaced by their arguments."""
    return _Replacement(arguments).visit(copy.deepcopy(node))  # type: ignore[no-any-return]


class _Replacement(ast.NodeTransformer):
    """A transformer that replaces names by expressions."""

    def __init__(self, arguments: dict[str, ast.expr]) -> None:
        self.arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.arguments.get(node.id, node)


class Declarations:
    """A collection of wrapper declarations and the imports that they need."""

    def __init__(self, root: Path, wrappers: dict[str, str]) -> None:
        self.root, self.folders, self.wrappers = root, packages(root), wrappers
        self.imports: dict[str, str] = {"Any": "typing:Any"}
        self._modules: dict[str, Module | None] = {}
        self._kernel: dict[str, Module | None] = {}

    def declare(self, name: str) -> str:
        """Return the declaration of a wrapper."""
        module, cls = self._find(self.wrappers[name])
        constructor = self._constructor(module, cls)
        line = ast.unparse(constructor).replace("\n    ", " ") if constructor else "pass"
        return f"class {name}({', '.join([*self._needed(self._bases(module, cls)), '_Undeclared'])}):\n    {line}"

    def _module(self, name: str) -> Module | None:
        """Return a module of a plugin, or None if the workspace contains no such module."""
        if name not in self._modules:
            file = source(self.folders, name)
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

    def _arguments(self, module: Module, base: ast.expr, found: tuple[Module, ast.ClassDef]) -> dict[str, ast.expr]:
        """Return the arguments for the type parameters of a base class, keyed by the names of the parameters.

        Args:
            module: the module that defines the derived class.
            base: the base in the definition of the derived class.
            found: the base class, and the module that defines the base class.
        """
        names = _parameters(*found)
        if not isinstance(base, ast.Subscript):
            return {name: ast.Name("Any") for name in names}
        given = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
        if len(given) != len(names):
            raise StubError(
                f"{module.name}: the stub cannot contain the base {ast.unparse(base)}, because "
                f"{found[1].name} has the type parameters {', '.join(names)}; write an argument for each of them"
            )
        return {name: self._resolve(module, argument) for name, argument in zip(names, given, strict=True)}

    def _constructor(self, module: Module, cls: ast.ClassDef) -> ast.FunctionDef | None:
        """Return the signature of a class's constructor, or None if an external base class defines it."""
        for node in cls.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                return self._signature(module, node)
        for base in cls.bases:
            if (found := self._local(module, base)) and (signature := self._constructor(*found)):
                return _replace(signature, self._arguments(module, base, found))
        return None

    def _signature(self, module: Module, function: ast.FunctionDef) -> ast.FunctionDef:
        """Return a constructor without its body, with the parameters that the decorator `parameters_of` adds."""
        copied = copy.copy(function)
        copied.body, copied.decorator_list = [ast.Expr(ast.Constant(...))], []
        copied.args = copy.deepcopy(function.args)
        arguments = copied.args
        arguments.defaults = [_shown(default) for default in arguments.defaults]
        arguments.kw_defaults = [default and _shown(default) for default in arguments.kw_defaults]
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        for argument in every:
            if argument and argument.annotation:
                argument.annotation = self._resolve(module, argument.annotation)
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "parameters_of":
                single = self._constructor(*self._find(module.home(ast.unparse(decorator.args[0]))))
                if single is None:
                    raise StubError(f"{module.name}: the class in {ast.unparse(decorator)} has no constructor")
                single.args.args = [*arguments.args, *single.args.args[2:]]
                copied.args = single.args
        return copied

    def _bases(self, module: Module, cls: ast.ClassDef) -> list[ast.expr]:
        """Return the bases of a class.

        Base classes from plugins are replaced by their own bases unless they are declared.
        """
        bases: list[ast.expr] = []
        for base in cls.bases:
            found = self._local(module, base)
            if found is None:
                bases.append(self._resolve(module, base))
            elif self.wrappers.get(found[1].name) and self._find(self.wrappers[found[1].name]) == found:
                bases.append(self._resolve(module, base, {found[1].name}))
            else:
                arguments = self._arguments(module, base, found)
                bases += [_replace(inner, arguments) for inner in self._bases(*found)]
        return bases

    def _needed(self, bases: list[ast.expr]) -> list[str]:
        """Return the distinct bases, without the classes of the kernel that another base is derived from."""
        homes = [self.imports.get(_names(base)[0], "") for base in bases]
        inherited = {home for base in homes for home in self._inherited(base)}
        kept = [ast.unparse(base) for base, home in zip(bases, homes, strict=True) if home not in inherited]
        return list(dict.fromkeys(kept))

    def _inherited(self, home: str) -> set[str]:
        """Return all bases of a class of the kernel as `module:attribute`, or an empty set for any other class."""
        name, _, attribute = home.partition(":")
        file = self.root / "kernel" / "src" / f"{name.replace('.', '/')}.py"
        if name not in self._kernel:
            self._kernel[name] = _read(name, file.read_text(encoding="utf-8")) if file.is_file() else None
        module = self._kernel[name]
        if module is None or attribute not in module.classes:
            return set()
        direct = {module.home(_names(base)[0]) for base in module.classes[attribute].bases}
        return direct.union(*map(self._inherited, direct))

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

    def import_lines(self, classes: str) -> str:
        """Return the import statements for the names in the code of the declarations."""
        lines = set()
        used = {"Any", *_names(ast.parse(classes))}
        for name, home in self.imports.items():
            module, _, attribute = home.partition(":")
            if name not in used:
                continue
            if attribute:
                lines.add(f"from {module} import {attribute}" + (f" as {name}" if attribute != name else ""))
            else:
                lines.add(f"import {module}" + (f" as {name}" if module != name else ""))
        return "\n".join(sorted(lines))
