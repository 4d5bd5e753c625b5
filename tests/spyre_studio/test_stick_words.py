"""A layout in words: device dims by where they come from, the cut, memory, bytes."""

import pytest

from compiler.layout import stick_layout
from spyre_studio.stick_words import cut_sentences, cut_title, device_dim_facts, figures, memory_sentence
from tests.spyre_studio.stick_cases import CASES, STANDARD, TO_F16, TO_F32, Case, dense, layout_of, model_of


def facts(case: Case) -> list[tuple[int, str, str]]:
    layout = layout_of(case)
    return [(dim.size, f"{dim.holds} {dim.part}".strip(), dim.stride) for dim in device_dim_facts(layout, case[0])]


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (((1024, 256), None, 64, STANDARD, ()), [(4, "d1 sticks", "64"), (1024, "d0", "256"), (64, "d1 lanes", "1")]),
        (
            ((5, 100, 150), None, 64, STANDARD, ()),
            [(100, "d1", "150"), (3, "d2 sticks", "64"), (5, "d0", "15,000"), (64, "d2 lanes", "1")],
        ),
        (((512,), (0, -1), 64, STANDARD, ()), [(1, "unit", "–"), (512, "d0", "1"), (64, "padding lanes", "–")]),
        (((), None, 64, STANDARD, ()), [(1, "unit", "–"), (64, "padding lanes", "–")]),
        (
            ((784, 512), None, 64, STANDARD, ((0, 832),)),
            [(8, "d1 sticks", "64"), (832, "d0 +48 zeros", "512"), (64, "d1 lanes", "1")],
        ),
        (
            ((8192, 32768), (-2, 0, 1), 64, STANDARD, ()),
            [(8192, "d0", "32,768"), (512, "d1 sticks", "64"), (1, "unit", "–"), (64, "d1 lanes", "1")],
        ),
    ],
)
def test_device_dims_say_where_they_come_from(case: Case, expected: list[tuple[int, str, str]]) -> None:
    assert facts(case) == expected


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_device_dim_has_a_hint_and_every_layout_sentences(case: Case) -> None:
    layout = layout_of(case)
    assert [dim.size for dim in device_dim_facts(layout, case[0])] == list(layout.device_size)
    assert all(dim.hint.endswith(".") for dim in device_dim_facts(layout, case[0]))
    for words in (cut_sentences(layout, case[0]), memory_sentence(layout)):
        assert words.endswith(".")
        assert "  " not in words


@pytest.mark.parametrize(
    ("shape", "order", "cut", "memory"),
    [
        ((1024, 256), None, "its 256 values make 4 sticks of 64 lanes.", "In memory: 4 columns of 1,024 sticks."),
        (
            (5, 100, 150),
            None,
            "42 lanes of the last are padding.",
            "In memory: 100 blocks, each 3 columns of 5 sticks.",
        ),
        ((65,), None, "65 values make 2 sticks", "In memory: 2 sticks, one after the other."),
        ((127,), None, "1 lane of the last is padding.", "In memory: 2 sticks, one after the other."),
        ((1, 512, 768), None, "768 values make 12 sticks", "In memory: 512 rows of 12 sticks."),
        ((512,), (0, -1), "Each value is alone in its stick", "In memory: 512 sticks, one after the other."),
        ((), None, "A single value in lane 0 of one stick", "In memory: one stick."),
        ((512, 1), None, "has one value: lane 0 of each holds it", "In memory: 512 sticks, one after the other."),
    ],
)
def test_cut_and_memory(shape: tuple[int, ...], order: tuple[int, ...] | None, cut: str, memory: str) -> None:
    layout = stick_layout(shape, dense(shape), 64, order)
    assert cut in cut_sentences(layout, shape)
    assert memory_sentence(layout) == memory


def test_casts_and_zeros_are_said() -> None:
    assert "pairs of sticks, a and b" in cut_sentences(stick_layout((4, 128), (128, 1), 32, None, TO_F32), (4, 128))
    woven = cut_sentences(stick_layout((4, 128), (128, 1), 64, None, TO_F16), (4, 128))
    assert "halves of each stick, a and b of 32" in woven
    padded = stick_layout((784, 512), (512, 1), 64, padding=((0, 832),))
    assert "Dim 0 is filled up with zeros from 784 to 832." in cut_sentences(padded, (784, 512))


def test_titles() -> None:
    assert cut_title(stick_layout((4, 128), (128, 1), 64)) == "sticks along dim 1"
    assert cut_title(stick_layout((4,), (1,), 64, (0, -1))) == "one value per stick"
    assert cut_title(stick_layout((), (), 64)) == "a single value"


def test_figures() -> None:
    assert (
        figures(model_of(stick_layout((1024, 256), (256, 1), 64), (1024, 256))) == "4,096 sticks · 512 KiB · no padding"
    )
    ragged = figures(model_of(stick_layout((5, 100, 150), (15000, 150, 1), 64), (5, 100, 150)))
    assert ragged == "1,500 sticks · 187.5 KiB · padding 41.02 KiB (22 %)"
    padded = model_of(stick_layout((784, 512), (512, 1), 64, padding=((0, 832),)), (784, 512))
    assert figures(padded).endswith("832 KiB · 48 KiB of zeros (5.8 %)")
    both = model_of(stick_layout((70, 130), (130, 1), 64, padding=((0, 128),)), (70, 130))
    assert figures(both).endswith("padding 30.23 KiB (63 %), 21.75 KiB zeros")
