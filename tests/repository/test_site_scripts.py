"""Tests of the documentation's scripts, which draw equations and plots and check the built site."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import gymkernel as gym

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(autouse=True)
def _scripts_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))


def _script(name: str) -> Any:
    return importlib.import_module(name)


@pytest.mark.parametrize(
    "env_id", ["CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0", "MountainCarContinuous-v0"]
)
def test_equations_in_docstrings_are_typeset(env_id: str) -> None:
    doc = inspect.getdoc(type(gym.make(env_id).unwrapped)) or ""
    lines = [line for line in doc.partition("Args:")[0].splitlines() if re.match(r"    \S+ (=|←) ", line)]

    assert len(lines) >= 2
    for line in lines:
        ET.fromstring(_script("equations").mathml(line))  # noqa: S314 - this test created the text


def test_fractions_drop_brackets_and_products_keep_them() -> None:
    markup = _script("equations").mathml("a = b (c + d) / (e - f)")

    assert "<mrow><mo>(</mo><mi>c</mi><mo>+</mo><mi>d</mi><mo>)</mo></mrow></mrow><mrow><mi>e</mi>" in markup


def test_indices_primes_and_powers_are_attached_to_names() -> None:
    markup = _script("equations").mathml("y = θ₂'²")

    assert "<msubsup><mi>θ</mi><mn>2</mn><mrow><mo>′</mo><mn>2</mn></mrow></msubsup>" in markup  # noqa: RUF001


@pytest.mark.parametrize("line", ["|R: | : :G|", "a = ", "a + b", "f = (a", "x = 1 = 2"])
def test_invalid_equation_is_reported(line: str) -> None:
    assert not _script("equations").is_equation(line)


def test_curve_labels_do_not_overlap() -> None:
    lines = [("first", [0, 1], [1.0, 3.0]), ("second", [0, 1], [2.0, 1.0])]
    svg = _script("charts").curves(lines, "x", "the label of the axis", floor=0)
    rows = {float(y) for y in re.findall(r'<text (?:class="key\d" )?x="(?:44|4)" y="([^"]*)"', svg)}
    frame = min(float(y) for y in re.findall(r'class="(?:grid|curve curve\d)" d="M[\d.]+ ([\d.]+)', svg))

    assert len(rows) == 3
    assert min(np.diff(sorted(rows))) >= 12  # the labels have font size 11
    assert max(rows) + 4 <= frame


def test_plots_are_markup_and_show_every_value() -> None:
    charts = _script("charts")
    curve = ET.fromstring(charts.curves([("a & b", [0, 1, 2], [1.0, 3.0, 2.0])], "x", "y", ("most", 4.0)))  # noqa: S314
    bars = ET.fromstring(charts.bars([("ours", 20_000.0, True), ("theirs", 10.0, False)], "steps/s"))  # noqa: S314

    assert [path.get("class") for path in curve.iter("path")][-2:] == ["level", "curve curve0"]
    assert [bar.text for bar in bars.iter("b")] == ["20k", "10"]


def test_axis_can_start_at_a_floor() -> None:
    lines = [("high", [1, 8], [9.0, 10.0]), ("low", [1, 8], [8.0, 9.0])]
    curve = ET.fromstring(_script("charts").curves(lines, "x", "y", floor=0))  # noqa: S314 - this test created the text

    assert "0" in [text.text for text in curve.iter("text")]
    drawn = [path.get("d", "") for path in curve.iter("path") if "curve" in path.get("class", "")]
    tops = [float(y) for path in drawn for y in re.findall(r" ([\d.]+)", path)]
    keys = [float(text.get("y", "")) for text in curve.iter("text") if text.get("class")]
    assert max(keys) < min(tops)


@pytest.mark.parametrize("name", ["rollouts", "growth", "growth-images"])
def test_rollout_costs_are_plotted(name: str) -> None:
    markup = ET.fromstring(_script("plots").PLOTS[name]())  # noqa: S314 - this test created the text
    labels = " ".join(markup.itertext())

    assert ("RLlib" if name == "rollouts" else "from another machine") in labels


def _site(folder: Path, provided: dict[str, set[str]] | None = None, **pages: str) -> list[str]:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(f"<article>{text}</article>", encoding="utf-8")
    found: list[str] = _script("check_site").problems(folder, provided)
    return found


def test_sound_site_has_no_problems(tmp_path: Path) -> None:
    assert _site(tmp_path, index='<a href="b.html#x">b</a><ul></ul>', b='<pre id="x"></pre>') == []


@pytest.mark.parametrize(
    "text, message",
    [
        ('<a href="c.html"></a><ul></ul>', "which is not there"),
        ('<a href="#x"></a><ul></ul>', "no such place"),
        ('<script src="https://cdn.example/x.js"></script><ul></ul>', "over the network"),
        ("<p>words</p>", "no table, picture"),
        ("<table><tr><td>a</td><td> </td></tr></table>", "1 blank cells"),
        ("<table><tr><th>a</th><th> </th></tr></table>", "1 blank cells"),
    ],
)
def test_problems_of_a_site_are_reported(tmp_path: Path, text: str, message: str) -> None:
    assert [message in problem for problem in _site(tmp_path, index=text)] == [True]


def test_page_that_is_too_deep_is_reported(tmp_path: Path) -> None:
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "far.html").write_text("<article><ul></ul></article>", encoding="utf-8")

    assert _site(tmp_path, index="<ul></ul>") == ["environments/far.html is more than 3 clicks from the first page"]


PROVIDED = {"ids": {"Maze-v0"}, "classes": {"gymkernel.spaces.Ring"}, "commands": {"draw"}}


def test_names_on_no_page_are_reported(tmp_path: Path) -> None:
    assert _site(tmp_path, PROVIDED, index="<ul></ul>") == [
        "the class gymkernel.spaces.Ring is on no page that is 3 clicks from the first or less",
        "the environment Maze-v0 is on no page of the gallery",
        "the command gymkernel draw is on no page that is 3 clicks from the first or less",
    ]


def test_ids_are_links_except_on_their_own_page(tmp_path: Path) -> None:
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "maze.html").write_text("<article><ul><code>Maze-v0</code></ul></article>")
    link = '<a href="environments/maze.html"><code>gymkernel draw</code></a><ul id="gymkernel.spaces.Ring"></ul>'

    assert _site(tmp_path, PROVIDED, index=link) == []
    assert _site(tmp_path, PROVIDED, index=f"{link}<code>Maze-v0</code>") == [
        "index.html has Maze-v0, which is no link"
    ]


def test_repository_provides_its_names() -> None:
    found = _script("check_site").names()

    assert "CartPole-v1" in found["ids"]
    assert {"gymkernel.spaces.Box", "gymkernel.wrappers.vector.NormalizeReward"} <= found["classes"]
    assert {"check", "list"} <= found["commands"]


TREE = (
    '<ul><li class="toctree-l1 has-children"><a class="reference internal" href="a.html">A</a>'
    '<input class="toctree-checkbox" id="1"/><ul>'
    '<li class="toctree-l2"><a class="reference internal" href="in/b.html">B</a></li>'
    '</ul></li><li class="toctree-l1"><a class="reference internal" href="c.html">C</a></li></ul>'
)


def test_sidebar_marks_the_page_and_opens_its_parents() -> None:
    tree = _script("sidebar").of_page(TREE, "in/b.html", lambda link: f"../{link}")

    assert '<li class="toctree-l1 current has-children"><a class="reference internal" href="../a.html">' in tree
    assert '<input checked="" class="toctree-checkbox" id="1"/>' in tree
    assert '<li class="toctree-l2 current current-page"><a class="current reference internal" href="#">B</a>' in tree
    assert '<li class="toctree-l1"><a class="reference internal" href="../c.html">C</a></li>' in tree


def test_unlisted_page_has_only_links() -> None:
    tree = _script("sidebar").of_page(TREE, "_modules/x.html", lambda link: f"../{link}")

    assert tree == TREE.replace('href="', 'href="../')


def test_site_omits_the_last_line_of_plugin_readmes() -> None:
    source = (DOCS / "reference_pages.py").read_text(encoding="utf-8")  # the script cannot be imported without sphinx
    last = re.findall(r'^LAST: Final = "(.+)"$', source, re.MULTILINE)[0]
    readmes = {path: path.read_text(encoding="utf-8") for path in DOCS.parent.glob("plugins/*/*/README.md")}
    with_line = [text for text in readmes.values() if last in text]

    assert len(with_line) > len(readmes) / 2
    assert all(text.rstrip().splitlines()[-1].startswith(last) for text in with_line)
