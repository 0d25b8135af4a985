"""Tests of the operations on spaces, including registration, adapters and default implementations."""

from __future__ import annotations

import json
import multiprocessing
import re
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Space, error, ops, plugins
from gymkernel.space import Field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gymkernel.space import Layout

    Install = Callable[..., Path]

ALL = (
    "flatdim flatten unflatten flatten_space is_space_dtype_shape_equiv batch_space batch_differing_spaces iterate "
    "concatenate create_empty_array create_zero_array create_shared_memory read_from_shared_memory "
    "write_to_shared_memory"
)
MEMORY = """
    def create(space, n=1, ctx=None): return {"context": ctx}
    def write(space, index, value, memory): memory[index] = value
    def read(space, memory, n=1): return [memory.get(i) for i in range(n)]
"""
ADAPTERS = {
    "gymkernel.ops.create_shared_memory": "acme_memory:create",
    "gymkernel.ops.read_from_shared_memory": "acme_memory:read",
    "gymkernel.ops.write_to_shared_memory": "acme_memory:write",
}


class Angles:
    """A space that has a layout but no base class."""

    def sample(self) -> np.ndarray[Any, Any]:
        return np.zeros((2, 3), np.float32)

    def layout(self) -> Layout:
        return (Field.of(np.float32, (2, 3)),)

    encode, decode = Space.encode, Space.decode


class Robots:
    """A space whose elements are pairs of an integer id and a tuple of two joint angles."""

    def sample(self) -> tuple[int, tuple[float, ...]]:
        return 0, (0.0, 0.0)

    def layout(self) -> Layout:
        return Field.of(np.int64), Field.of(np.float32, (2,))

    def encode(self, x: tuple[int, tuple[float, ...]], out: Sequence[np.ndarray[Any, Any]]) -> None:
        out[0][...], out[1][:] = x

    def decode(self, arrays: Sequence[np.ndarray[Any, Any]]) -> tuple[int, tuple[float, ...]]:
        return int(arrays[0]), tuple(arrays[1].tolist())


class Shapeless:
    """A space without a layout."""

    def sample(self) -> object:
        return object()


def new_space() -> type[Space[Any]]:
    """Return a space class for which no function is registered."""

    class Fresh(Space[Any]):
        pass

    return Fresh


def test_all_fourteen_operations_exist() -> None:
    assert sorted(ops.OPERATIONS) == sorted(ALL.split())


@pytest.fixture(params=ALL.split())
def table(request: pytest.FixtureRequest) -> Any:
    return ops.OPERATIONS[request.param]


class TestRegistration:
    def test_function_is_registered_for_a_class(self, table: Any) -> None:
        cls = new_space()

        def special(space: Any, *args: Any) -> None: ...

        assert table.register(cls)(special) is special

        assert table.dispatch(cls) is special
        assert ops.is_registered(table, cls)

    def test_registration_includes_subclasses(self, table: Any) -> None:
        cls = new_space()
        special = table.register(cls, lambda space, *args: None)

        assert table.dispatch(type("Sub", (cls,), {})) is special

    def test_second_registration_raises_and_names_the_first(self, table: Any) -> None:
        cls = new_space()

        def first(space: Any, *args: Any) -> None: ...

        table.register(cls, first)
        with pytest.raises(error.RegistrationError) as caught:
            table.register(cls, lambda space, *args: None)

        assert str(caught.value).startswith(f"{table.__name__} is already registered for new_space.<locals>.Fresh by ")
        assert "first; register your function for a subclass" in str(caught.value)
        assert table.dispatch(cls) is first

    def test_same_function_can_be_registered_again(self, table: Any) -> None:
        cls = new_space()
        special = table.register(cls, lambda space, *args: None)

        assert table.register(cls, special) is special

    def test_reloaded_function_can_be_registered_again(self, table: Any) -> None:
        cls = new_space()
        source = "def special(space, *args): ..."
        before, after = ({"__name__": "module"} for _ in range(2))
        exec(source, before)  # noqa: S102 - as a reload does
        exec(source, after)  # noqa: S102 - as a reload does

        table.register(cls, before["special"])
        table.register(cls, after["special"])

        assert table.dispatch(cls) is after["special"]

    def test_registration_requires_a_class(self, table: Any) -> None:
        def special(space: Any) -> None: ...

        with pytest.raises(
            TypeError, match=rf"Expected a class, as in @{table.__name__}\.register\(MySpace\), got <function"
        ):
            table.register(special)

    def test_call_uses_the_latest_registration(self, table: Any) -> None:
        base = new_space()
        cls = type("Sub", (base,), {})
        space = cls()
        argument = [space] if table.__name__ == "batch_differing_spaces" else space
        seen = []
        for registered in (base, cls):
            table.register(registered, lambda *_, cls=registered: cls)
            seen.append(table(argument))

        assert seen == [base, cls]

    def test_call_without_a_space_raises(self) -> None:
        with pytest.raises(TypeError, match="at least 1 positional argument"):
            ops.flatten()  # type: ignore[call-arg]

    def test_foreign_class_can_be_registered(self) -> None:
        class Theirs:
            pass

        ops.flatdim.register(Theirs, lambda space: 7)

        assert ops.flatdim(Theirs()) == 7

    def test_dispatch_returns_the_function_that_a_call_uses(self) -> None:
        cls = new_space()
        ops.flatten.register(cls, lambda space, x: ("flat", x))

        bound = ops.flatten.dispatch(cls)

        assert bound(cls(), 3) == ("flat", 3)

    def test_differing_spaces_are_dispatched_on_the_first(self) -> None:
        cls = new_space()
        ops.batch_differing_spaces.register(cls, lambda first, spaces: (first, spaces))
        spaces = (cls(), cls())

        assert ops.batch_differing_spaces(spaces) == (spaces[0], [*spaces])


class TestAdapters:
    """Tests that operations find adapters for classes from other libraries."""

    THEIRS = "class Theirs:\n    def sample(self): return 0\nclass Sub(Theirs): pass\n"

    def adapt(self, install: Install, name: str, value: str = "theirs.Theirs", body: str = "") -> None:
        install(f"adapt-{name}", modules={f"adapt_{name}": body}, adapters={value: f"adapt_{name}"})

    @pytest.fixture
    def theirs(self, install: Install) -> Callable[[str], Any]:
        """Return a space from a library that does not import gymkernel."""
        install("theirs", modules={"theirs": self.THEIRS})

        def make(cls: str) -> Any:
            import importlib

            return getattr(importlib.import_module("theirs"), cls)()

        return make

    @pytest.mark.parametrize("cls", ["Theirs", "Sub"])
    def test_adapter_is_found_for_the_class_and_its_subclasses(
        self, install: Install, theirs: Callable[[str], Any], cls: str
    ) -> None:
        self.adapt(
            install,
            "one",
            body="import theirs\nfrom gymkernel import ops\nops.flatdim.register(theirs.Theirs, lambda s: 9)",
        )

        assert ops.flatdim(theirs(cls)) == 9

    def test_adapter_is_loaded_when_an_operation_meets_its_class(
        self, install: Install, theirs: Callable[[str], Any]
    ) -> None:
        self.adapt(install, "one")
        theirs("Theirs")

        assert "adapt_one" not in sys.modules
        assert ops.is_registered(ops.flatdim, type(theirs("Theirs"))) is False
        assert "adapt_one" in sys.modules

    def test_broken_adapter_raises_for_its_class(self, install: Install, theirs: Callable[[str], Any]) -> None:
        self.adapt(install, "bad", body="1 / 0")

        with pytest.warns(UserWarning, match="ZeroDivisionError") as caught:
            ops.is_registered(ops.flatdim, type(theirs("Theirs")))

        assert caught[0].filename == __file__

    def test_class_can_have_several_adapters(self, install: Install, theirs: Callable[[str], Any]) -> None:
        head = "import theirs\nfrom gymkernel import ops\n"
        self.adapt(install, "one", body=f"{head}ops.flatdim.register(theirs.Theirs, lambda s: 1)")
        self.adapt(install, "two", body=f"{head}ops.flatten.register(theirs.Theirs, lambda s, x: [x])")

        space = theirs("Theirs")

        assert ops.flatdim(space) == 1
        assert ops.flatten(space, 5) == [5]

    def test_first_call_passes_keyword_arguments(self, install: Install, theirs: Callable[[str], Any]) -> None:
        body = "import theirs\nfrom gymkernel import ops\nops.flatten.register(theirs.Theirs, lambda s, x: [x])"
        self.adapt(install, "one", body=body)

        assert ops.flatten(theirs("Theirs"), x=5) == [5]

    def test_function_bound_earlier_finds_the_adapter(self, install: Install, theirs: Callable[[str], Any]) -> None:
        self.adapt(
            install,
            "one",
            body="import theirs\nfrom gymkernel import ops\nops.flatdim.register(theirs.Theirs, lambda s: 9)",
        )
        space = theirs("Theirs")

        bound = ops.flatdim.dispatch(type(space))

        assert [bound(space), bound(space), bound(space)] == [9, 9, 9]

    def test_broken_adapter_is_reported_and_others_work(self, install: Install, theirs: Callable[[str], Any]) -> None:
        self.adapt(install, "bad", body="1 / 0")
        self.adapt(
            install,
            "one",
            body="import theirs\nfrom gymkernel import ops\nops.flatdim.register(theirs.Theirs, lambda s: 9)",
        )

        with pytest.warns(UserWarning, match=r"adapters\.theirs\.Theirs of adapt-bad 1\.0 .*ZeroDivisionError"):
            dimension = ops.flatdim(theirs("Theirs"))

        assert dimension == 9

    def test_adapter_installed_later_is_found_after_a_refresh(
        self, install: Install, theirs: Callable[[str], Any]
    ) -> None:
        space = theirs("Theirs")
        with pytest.raises(NotImplementedError):
            ops.flatdim(space)

        self.adapt(  # this call refreshes the scan
            install,
            "one",
            body="import theirs\nfrom gymkernel import ops\nops.flatdim.register(theirs.Theirs, lambda s: 9)",
        )

        assert ops.flatdim(space) == 9

    def test_disabled_adapter_is_not_loaded(
        self, install: Install, theirs: Callable[[str], Any], disable: Callable[..., None]
    ) -> None:
        self.adapt(install, "one", body="1 / 0")
        disable("adapt-one")

        assert ops.is_registered(ops.flatdim, type(theirs("Theirs"))) is False


needs_a_plugin = pytest.mark.parametrize(
    "call,plugin",
    [
        (lambda: ops.flatten_space(Robots()), "gymkernel-space-box"),
        (lambda: ops.batch_space(Robots(), 2), "gymkernel-space-tuple"),
        (lambda: ops.batch_differing_spaces([Robots(), Robots()]), "gymkernel-space-tuple"),
    ],
    ids=["flatten_space", "batch_space", "batch_differing_spaces"],
)


class TestByLayout:
    """Tests that most operations support every space with a layout."""

    def test_flatdim_follows_from_the_layout(self) -> None:
        assert ops.flatdim(Angles()) == 6
        assert ops.flatdim(Robots()) == 3

    def test_same_class_and_layout_are_equivalent(self) -> None:
        assert ops.is_space_dtype_shape_equiv(Angles(), Angles())

    def test_different_classes_are_not_equivalent(self) -> None:
        class Others(Angles):
            pass

        assert not ops.is_space_dtype_shape_equiv(Angles(), Robots())
        assert not ops.is_space_dtype_shape_equiv(Angles(), Others())

    def test_different_layouts_are_not_equivalent(self) -> None:
        longer = Angles()
        longer.layout = lambda: (Field.of(np.float32, (3, 3)),)  # type: ignore[method-assign]

        assert not ops.is_space_dtype_shape_equiv(Angles(), longer)

    def test_zero_element_is_decoded_from_zeros(self) -> None:
        assert np.array_equal(ops.create_zero_array(Angles()), np.zeros((2, 3)))
        assert ops.create_zero_array(Robots()) == (0, (0.0, 0.0))

    def test_batch_is_a_tuple_of_elements(self) -> None:
        assert ops.create_empty_array(Robots(), 2) is None
        assert ops.concatenate(Robots(), [(1, (2.0, 3.0)), (4, (5.0, 6.0))], None) == ((1, (2.0, 3.0)), (4, (5.0, 6.0)))

    def test_shared_memory_comes_from_a_plugin(self, install: Install) -> None:
        install("acme", modules={"acme_memory": MEMORY}, adapters=ADAPTERS)

        memory = ops.create_shared_memory(Robots(), 2)
        ops.write_to_shared_memory(Robots(), 1, (7, (0.5, 1.5)), memory)

        assert ops.read_from_shared_memory(Robots(), memory, 2) == [None, (7, (0.5, 1.5))]

    def test_shared_memory_uses_the_given_context(self, install: Install) -> None:
        install("acme", modules={"acme_memory": MEMORY}, adapters=ADAPTERS)
        spawn = multiprocessing.get_context("spawn")

        assert ops.create_shared_memory(Robots(), 2, spawn)["context"] is spawn

    @pytest.mark.parametrize(
        "call",
        [
            lambda: ops.create_shared_memory(Robots(), 2),
            lambda: ops.read_from_shared_memory(Robots(), {}, 2),
            lambda: ops.write_to_shared_memory(Robots(), 0, (7, (0.5, 1.5)), {}),
        ],
        ids=["create", "read", "write"],
    )
    def test_shared_memory_names_the_missing_plugin(self, install: Install, call: Callable[[], Any]) -> None:
        with pytest.raises(NotImplementedError, match="run: pip install gymkernel-util-vector"):
            call()

    @pytest.mark.parametrize("operation", ["flatten", "unflatten"])
    def test_flatten_names_the_missing_plugin(self, install: Install, operation: str) -> None:
        with pytest.raises(NotImplementedError, match="run: pip install gymkernel-util-spaces"):
            ops.OPERATIONS[operation](Robots(), None)

    def test_iterating_over_a_single_space_raises(self) -> None:
        with pytest.raises(error.CustomSpaceError, match="Cannot iterate over an element of Robots"):
            ops.iterate(Robots(), [])

    @needs_a_plugin
    def test_operation_names_the_space_plugin_that_it_needs(
        self, call: Callable[[], Any], plugin: str, install: Install
    ) -> None:
        install("acme-space", modules={"acme": "class Pyramid: pass"}, spaces={"Pyramid": "acme:Pyramid"})

        with pytest.raises(NotImplementedError, match=rf"is not defined for Robots; run: pip install {plugin}, or use"):
            call()

    @needs_a_plugin
    def test_error_does_not_name_an_installed_plugin(
        self, call: Callable[[], Any], plugin: str, install: Install
    ) -> None:
        install(plugin, modules={"acme": "class Pyramid: pass"}, spaces={"Pyramid": "acme:Pyramid"})

        with pytest.raises(NotImplementedError) as caught:
            call()

        assert "pip install" not in str(caught.value)
        assert re.search(
            rf"is not defined for Robots, an unknown class of {__name__}: convert the space, or use @gymkernel",
            str(caught.value),
        )

    def test_space_class_as_argument_raises(self) -> None:
        class Angle(Space[Any]):
            def layout(self) -> Layout:
                return (Field.of(np.float64, (1,)),)

        assert ops.flatdim(Angle()) == 1
        assert ops.create_zero_array(Angle()).tolist() == [0]
        assert ops.is_space_dtype_shape_equiv(Angle(), Angle())
        assert Angle().is_np_flattenable


class TestWithoutLayout:
    @pytest.mark.parametrize("operation", ["flatdim", "flatten", "unflatten", "create_zero_array"])
    def test_error_names_the_class_and_both_remedies(self, operation: str) -> None:
        arguments = [None] if operation in {"flatten", "unflatten"} else []

        with pytest.raises(NotImplementedError) as caught:
            ops.OPERATIONS[operation](Shapeless(), *arguments)

        assert str(caught.value) == (
            f"{operation} is not defined for Shapeless: define layout() in the class, or use "
            f"@gymkernel.ops.{operation}.register(Shapeless)"
        )

    def test_equivalence_requires_a_layout(self) -> None:
        with pytest.raises(NotImplementedError, match="is_space_dtype_shape_equiv is not defined for Shapeless"):
            ops.is_space_dtype_shape_equiv(Shapeless(), Shapeless())

    def test_elements_are_batched_without_conversion(self) -> None:
        one, two = object(), object()

        assert ops.concatenate(Shapeless(), iter([one, two]), None) == (one, two)

    def test_base_space_is_not_flattenable(self) -> None:
        assert not new_space()().is_np_flattenable


class TestBatches:
    """Tests of `batch`, which combines any number of elements."""

    def test_elements_without_arrays_are_batched_in_a_tuple(self) -> None:
        assert ops.batch(Robots(), [(1, (2.0, 3.0))]) == ((1, (2.0, 3.0)),)

    def test_empty_batch_has_the_same_structure(self) -> None:
        cls = new_space()
        blank = np.zeros((0, 2))
        ops.create_empty_array.register(cls, lambda space, n, fn=np.zeros: {"a": blank, "b": (blank, None)})

        empty = ops.batch(cls(), [])

        assert list(empty) == ["a", "b"]
        assert empty["a"] is blank
        assert empty["b"] == (blank, ())
        assert ops.batch(Robots(), []) == ()


class TestNoSpace:
    @pytest.mark.parametrize("thing", [3, "Box", None, Angles, Space])
    def test_non_space_error_shows_the_argument(self, table: Any, thing: Any) -> None:
        if table.__name__ == "batch_differing_spaces":
            call, arguments = table, ([thing],)
        else:
            call, arguments = table, (thing, *[0] * (table.miss.__wrapped__.__code__.co_argcount - 1))

        with pytest.raises(TypeError, match=f"{table.__name__} expects a space, got "):
            call(*arguments)


class TestDiffering:
    def test_empty_list_of_spaces_raises(self) -> None:
        with pytest.raises(ValueError, match="expects at least one space, got an empty list"):
            ops.batch_differing_spaces([])

    def test_error_names_differing_spaces_with_their_indices(self) -> None:
        with pytest.raises(TypeError, match="got Angles at index 0 and Robots at index 1"):
            ops.batch_differing_spaces([Angles(), Robots()])


def test_third_party_space_without_plugins_names_the_pip_command() -> None:
    code = """
        import json
        from gymkernel import Space, ops
        class Mine(Space): pass
        messages = {}
        for name, arguments in {"flatten_space": (Mine(),), "batch_space": (Mine(), 2),
                                "batch_differing_spaces": ([Mine()],)}.items():
            try:
                ops.OPERATIONS[name](*arguments)
            except NotImplementedError as exc:
                messages[name] = str(exc)
        print(json.dumps(messages))
    """
    run = subprocess.run(
        [sys.executable, "-c", dedent(code)],
        capture_output=True,
        text=True,
        check=True,
        env={"GYMKERNEL_DISABLE": "*", "PYTHONPATH": ":".join(sys.path)},
    )

    messages = json.loads(run.stdout)

    assert "pip install gymkernel-space-box" in messages["flatten_space"]
    assert "pip install gymkernel-space-tuple" in messages["batch_space"]
    assert "pip install gymkernel-space-tuple" in messages["batch_differing_spaces"]


def test_known_class_is_looked_up_once(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def load_all(kind: str, sought: list[str], lost: str) -> None:
        asked.extend(sought)

    monkeypatch.setattr(plugins, "load_all", load_all)
    space = Angles()

    ops.flatdim(space)
    ops.flatdim(space)
    ops.create_zero_array(space)

    assert sorted(asked) == sorted(set(asked))
