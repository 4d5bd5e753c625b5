"""Variants as values: the tree, its names, and what is proposed as a name."""

import pytest
from frozendict import frozendict

from compiler.device import load_device
from compiler.errors import InputError
from compiler.pins import Pins
from spyre_studio.options import CompileOptions
from spyre_studio.variant import LONGEST, Variant, Variants, name_fault, tree_fault
from spyre_studio.variant_names import proposed_name
from tests.spyre_studio.plans import divided


def variant(
    name: str, parent: str = "", pins: Pins | None = None, cores: int = 32, pipeline: str = "staged"
) -> Variant:
    device = load_device("spyre").with_cores(cores)
    return Variant(name, pins or Pins(), device, CompileOptions(cores=cores, pipeline=pipeline), parent)


def tree() -> Variants:
    made = Variants()
    for name, parent in (("a", ""), ("b", "a"), ("c", "a"), ("d", "b")):
        made = made.add(variant(name, parent))
    return made


def shape(variants: Variants) -> list[tuple[int, str]]:
    return [(depth, one.name) for depth, one in variants.walk()]


def test_children_stand_below_their_parents() -> None:
    assert shape(tree()) == [(0, "a"), (1, "b"), (2, "d"), (1, "c")]
    assert [one.name for one in tree().children("a")] == ["b", "c"]
    assert tree().chosen == "d"


def test_what_is_removed_leaves_its_children_to_its_parent() -> None:
    left = tree().remove("b")
    assert shape(left) == [(0, "a"), (1, "c"), (1, "d")]
    assert left.chosen == "d"
    assert tree().remove("d").chosen == "b"
    assert shape(tree().remove("a")) == [(0, "b"), (1, "d"), (0, "c")]
    assert tree().remove("nobody") == tree()


def test_a_new_name_is_known_to_children_and_choice() -> None:
    new = tree().rename("b", "faster").choose("faster")
    assert shape(new) == [(0, "a"), (1, "faster"), (2, "d"), (1, "c")]
    assert tree().rename("d", "e").chosen == "e"
    assert tree().rename("d", "d") == tree()
    with pytest.raises(InputError, match="already"):
        tree().rename("a", "b")


@pytest.mark.parametrize("name", ["", "  ", " a", "a\n", "x" * (LONGEST + 1), "a\x00"])
def test_names_that_nobody_can_read_are_refused(name: str) -> None:
    assert name_fault(name)
    with pytest.raises(InputError, match="name"):
        tree().add(variant(name))
    with pytest.raises(InputError, match="name"):
        tree().rename("a", name)


def test_choosing_and_notes() -> None:
    assert tree().choose("a").chosen == "a"
    assert tree().choose("nobody").chosen == "d"
    noted = tree().annotate("c", "slow, but fits").get("c")
    assert noted is not None
    assert noted.note == "slow, but fits"


def test_a_parent_that_is_gone_makes_a_root() -> None:
    assert shape(Variants().add(variant("x", "gone"))) == [(0, "x")]


def test_free_names() -> None:
    assert tree().free_name("new") == "new"
    assert tree().free_name(" a ") == "a (2)"
    assert tree().add(variant("a (2)")).free_name("a") == "a (3)"
    assert tree().free_name("\n") == "variant"
    long = tree().add(variant("y" * LONGEST)).free_name("y" * 200)
    assert not name_fault(long)
    assert long.endswith("(2)")


def test_faults_of_trees_from_elsewhere() -> None:
    assert not tree_fault(tree())
    assert "two variants" in tree_fault(Variants((variant("a"), variant("a"))))
    assert "not before it" in tree_fault(Variants((variant("a", "b"), variant("b", "a"))))
    assert "does not have" in tree_fault(Variants((variant("a"),), "z"))
    assert "empty" in tree_fault(Variants((variant(""),)))


def test_variants_ask_the_same_whatever_they_are_called() -> None:
    assert variant("a").asks_as(variant("b", "a"))
    assert not variant("a").asks_as(variant("a", cores=8))
    assert not variant("a").asks_as(variant("a", pins=divided("sum", i=2)))
    one, two = (Pins(division=frozendict(x=frozendict(loops))) for loops in ({"i": 2, "j": 4}, {"j": 4, "i": 2}))
    assert not variant("a", pins=one).asks_as(variant("a", pins=two)), "the order of loops counts"


@pytest.mark.parametrize(
    ("now", "before", "name"),
    [
        (variant("", pins=divided("block.matmul", m=32)), variant("x"), "matmul m 32"),
        (variant("", cores=8), variant("x"), "8 cores"),
        (variant("", pipeline="searched"), variant("x"), "searched"),
        (variant(""), variant("x", pins=divided("sum", i=4)), "no pins"),
        (variant(""), variant("x"), "x again"),
        (variant(""), None, "variant"),
        (variant("", pins=Pins(placement=frozendict({"exp": "lx"}))), variant("x"), "exp in LX"),
        (
            variant("", pins=Pins(layout=frozendict(a=1, b=0), same=frozendict(c="d"))),
            variant("x"),
            "c as d, b sticks of d0 and 1 more",
        ),
        (
            variant("", pins=Pins(layout=frozendict(a=1))),
            variant("x", pins=Pins(layout=frozendict(a=1, b=0))),
            "b free",
        ),
    ],
)
def test_names_say_what_differs(now: Variant, before: Variant | None, name: str) -> None:
    assert proposed_name(now, before) == name
