"""A device file and a device in a saved plan obey the same rules, and what they allow can be compiled for."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from importlib import resources

import pytest
from frozendict import frozendict

from compiler.codec import from_json, to_json
from compiler.device import Device, load_device, parse_device
from compiler.dtypes import DType
from compiler.errors import InputError, StudioError
from compiler.graph import ModelGraph
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from compiler.validate_device import NUMBERS, OTHER_NUMBERS, TIMING_NUMBERS, validate_device
from tests.programs import attention

SAMPLE = resources.files("resources").joinpath("devices", "sample.toml").read_text("utf-8")
ODD = (0.0, -1.0, 1e300, 1e-320, math.nan, math.inf)


def with_value(key: str, value: str) -> str:
    text, count = re.subn(rf"(\[{key}\]\nvalue = )\S+", rf"\g<1>{value}", SAMPLE)
    assert count == 1
    return text


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_device(text, "d.toml")
    assert caught.value.sentence.startswith("device file d.toml: ")
    return caught.value.sentence


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("fill_rows", "nan", "fill_rows is nan; give a finite number"),
        ("loop_trip_limit", "inf", "loop_trip_limit is inf; give a finite number"),
        ("fill_rows", "0", "fill_rows is 0; give a number from 1e-12 to 9007199254740992."),
        ("cores", "0", "cores is 0; give a whole number from 1 to 4096"),
        ("cores", "4097", "cores is 4097; give a whole number"),
        ("cores", "2.5", "cores is 2.5; give a whole number"),
        ("batch_step_rows", "0", "batch_step_rows is 0"),
        ("batch_step_rows", "0.5", "batch_step_rows is 0.5"),
        ("stick_bytes", "256", "stick_bytes is 256"),
        ("span_limit_bytes", "64", "span_limit_bytes is 64"),
        ("lx_program_bytes", "65536", "lx_program_bytes is 65536 and lx_bytes 65536, which leaves nothing for tensors"),
        ("fill_exponent", "8.5", "fill_exponent is 8.5; give a number from 0 to 8"),
        ("lx_backend_fraction", "1.1", "lx_backend_fraction is 1.1; give a number from 0 to 1"),
        ("restickify_bytes_per_ns", "1e-320", "restickify_bytes_per_ns is 1e-320; give a number from 1e-12 to 1e+18"),
        ("planner_mac_per_us_core", "1e300", "planner_mac_per_us_core is 1e+300"),
        ("prefer_m_lanes", "-1", "prefer_m_lanes is -1; give a number from 0 to 1e+18"),
        ("prefer_m_lanes", '"ten"', "the value of 'prefer_m_lanes' is 'ten'; give a number"),
        ("prefer_m_lanes", "true", "the value of 'prefer_m_lanes' is True; give a number"),
        ("prefer_m_lanes", "1" + "0" * 400, "prefer_m_lanes is larger than any number"),
    ],
)
def test_an_impossible_number_is_refused_as_it_is_written(key: str, value: str, words: str) -> None:
    assert words in refusal(with_value(key, value))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "sample"\n', "", "it lacks a name"),
        ('name = "sample"', "name = 3", "its name is not a text"),
        ('name = "sample"', 'name = ""', "its name is empty"),
        ('title = "Sample, 4 small cores"\n', "", "it lacks a title"),
        ("[elements_per_stick]", "[lanes]", "it lacks the table [elements_per_stick]"),
        ("f16 = 64", "f17 = 64", "[elements_per_stick] has an unknown type 'f17'"),
        ("\nf16 = 64", "", "[elements_per_stick] has no count for f16"),
        ("\nf16 = 64", "\nf16 = 32", "elements_per_stick of f16 is 32, a stick of 128 B holds 64; write 64"),
        ("\nf16 = 64", "\nf16 = 64.0", "elements_per_stick of f16 is 64.0"),
        ("[fill_rows]", "[fill_row]", "'fill_row' is not a number of a device; write fill_rows"),
        ("[fill_rows]\nvalue = 40", "[fill_rows]", "'fill_rows' has no value"),
        ('value = 40\nunit = "rows"\n', "value = 40\n", "'fill_rows' has no unit"),
        ('kind = "published"', 'kind = "rumour"', "the kind of 'stick_bytes' is 'rumour'; use one of published"),
        ('source = "test device, chosen small"', 'source = ""', "'cores' has no source"),
        ('source = "test device, chosen small"', "sauce = 1", "'cores' has no source"),
        ('unit = "cores"', 'unit = "cores"\nnote = "n"', "'cores' has an unknown entry 'note'"),
        ('unit = "cores"', "unit = 7", "the unit of 'cores' is 7; give a text"),
        ('unit = "cores"', 'unit = "cores"\naccuracy = 7', "the accuracy of 'cores' is 7; give a text"),
    ],
)
def test_what_is_missing_or_misnamed_is_named(old: str, new: str, words: str) -> None:
    assert old in SAMPLE
    assert words in refusal(SAMPLE.replace(old, new, 1))


def test_the_accuracy_of_a_number_may_be_told_and_travels_with_it() -> None:
    told = parse_device(SAMPLE.replace('unit = "cores"', 'unit = "cores"\naccuracy = "exact"', 1), "d.toml")
    assert told.numbers["cores"].accuracy == "exact"
    assert from_json(Device, to_json(told)) == told
    assert load_device("sample").numbers["cores"].accuracy == ""
    assert load_device("spyre").numbers["relayout_bytes_per_ns_core"].accuracy.startswith("RMS 10 %")


@pytest.mark.parametrize("key", NUMBERS)
def test_every_number_is_needed(key: str) -> None:
    text = re.sub(rf"\[{key}\]\n(?:.+\n)+", "", SAMPLE)
    assert f"the number '{key}' is missing" in refusal(text)


@pytest.mark.parametrize("name", ["spyre", "sample"])
def test_bundled_devices_have_these_numbers_and_no_others(name: str) -> None:
    assert load_device(name).numbers.keys() - OTHER_NUMBERS.keys() == NUMBERS.keys() | TIMING_NUMBERS.keys()


def test_a_device_in_a_document_obeys_the_same_rules() -> None:
    sample = load_device("sample")
    assert from_json(Device, to_json(sample)) == sample
    for broken, words in (
        (sample.with_number("fill_rows", 0), "the device in p.json: fill_rows is 0"),
        (replace(sample, numbers=frozendict()), "the number 'cores' is missing (154 more are missing too)"),
        (replace(sample, title=""), "its title is empty"),
        (
            replace(sample, elements_per_stick=sample.elements_per_stick.set(DType.F16, -1)),
            "elements_per_stick of f16 is -1",
        ),
    ):
        with pytest.raises(InputError) as caught:
            from_json(Device, to_json(broken), "p.json")
        assert words in caught.value.sentence


@pytest.mark.parametrize("word", ["NaN", "Infinity", "1e999"])
def test_a_number_that_is_none_is_refused_in_a_document(word: str) -> None:
    text = to_json(load_device("sample")).replace('"value": 40.0', f'"value": {word}', 1)
    assert word in text
    with pytest.raises(InputError, match=r"not a number of JSON|not a finite number"):
        from_json(Device, text, "p.json")


@pytest.mark.parametrize("key", NUMBERS)
def test_any_value_is_refused_or_plans_well(key: str) -> None:
    """What passes gives a plan whose numbers all have a JSON form, or a refusal that names the limit."""
    program, sample = attention(2, 64, 64), load_device("sample")
    for value in (*ODD, NUMBERS[key].least, NUMBERS[key].most):
        try:
            device = sample.with_number(key, value)
            validate_device(device, "d.toml")
            whole = compile_problem(ModelGraph("m", (), (), ()), Problem(program, device))
        except StudioError as error:
            assert error.sentence  # noqa: PT017
            continue
        assert whole.ok
        json.loads(to_json(whole), parse_constant=pytest.fail)
