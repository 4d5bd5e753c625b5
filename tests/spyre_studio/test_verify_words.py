"""What a verification says: rows, headline, the first divergence, places in sentences, traffic."""

import doctest
from dataclasses import replace

from simulator.error_map import HOST
from simulator.traffic import StepTraffic, Way, moved
from spyre_studio.verify_places import Spoken, spoken_of
from spyre_studio.verify_rows import divergence, headline, how_words, number_rows, run_words
from spyre_studio.verify_traffic import traffic_rows, traffic_words
from tests.spyre_studio.verified import clobbered, measured, right, stopped, wrong


def test_a_right_run_agrees() -> None:
    _, report = right()
    title, tone, sentence = headline(report)
    assert (title, tone) == ("Agrees with PyTorch within rounding", "ok")
    assert sentence.startswith("1 output and 5 steps compared on 32 cores, poison on, ")
    assert divergence(report) is None
    assert how_words(report)[0] == "Inputs drawn with seed 0."
    assert how_words(report)[1].startswith("Sums: products and partial sums in fp32")
    assert how_words(replace(report, inputs="", accumulation="")) == ()


def test_one_core_and_no_poison_are_said() -> None:
    _, report = measured(cores=1, poison=False, rows=4, columns=64)
    assert run_words(report).startswith("1 output and 5 steps compared on 1 core, poison off, ")


def test_rows_have_the_figures_of_the_report() -> None:
    _, report = clobbered()
    rows = number_rows(report)
    assert [row.verdict for row in rows] == ["corrupted", *["equal"] * 4, "corrupted"]
    assert rows[-1].together > rows[-1].allowed > 2
    assert rows[-1].beyond == 128
    assert rows[-1].cosine == report.steps[-1].comparison.cosine
    assert rows[-1].first.startswith("[0,0] is 1, not ")


def test_the_first_divergence_names_step_line_core_and_stick() -> None:
    _, report = clobbered()
    found = divergence(report)
    assert found is not None
    assert (found.step, found.buffer, found.source, found.core) == ("truediv", "truediv", "model.py:5", 0)
    assert report.steps[-1].errors is not None
    assert report.steps[-1].errors.worst_stick is not None
    assert found.stick == f"[{','.join(map(str, report.steps[-1].errors.worst_stick.stick))}]"
    assert "core 0 · 32 of 8,192 elements beyond rounding" in found.figures[1]


def test_what_no_core_wrote_has_no_core() -> None:
    _, report = wrong()
    found = divergence(report)
    assert found is not None
    assert found.core == HOST
    assert found.figures[1].startswith("Worst: what no core wrote")
    bare = replace(report, steps=tuple(replace(step, errors=None) for step in report.steps))
    without = divergence(bare)
    assert without is not None
    assert (without.core, without.stick, len(without.figures)) == (HOST, "", 1)


def test_sentences_name_steps_buffers_and_cores_of_the_plan() -> None:
    compilation, report = stopped()
    assert spoken_of(report.fault, compilation) == Spoken("truediv", "exp", 0)
    assert spoken_of("exp and sub share bytes at step 2", compilation) == Spoken("exp", "exp")
    assert spoken_of("sum is in LX, but in truediv (step 4) core 31 holds none", compilation).core == 31
    assert spoken_of("x is read by core 77", compilation) == Spoken("", "x")
    assert spoken_of("nothing that anybody knows", compilation) == Spoken()
    assert Spoken("exp", "sub", 3).words == "step exp · buffer sub · core 3"
    assert Spoken().words == ""


def test_traffic_is_added_up_by_step_and_memory() -> None:
    _, report = right()
    rows = traffic_rows(report.traffic)
    assert [row.step for row in rows] == ["max", "sub", "exp", "sum", "truediv"]
    assert rows[0].hbm_read == rows[0].hbm == 128 * 256 * 2
    assert rows[0].cores == 32
    assert sum(row.hbm_read for row in rows) == moved(report.traffic, Way.DEVICE_MEMORY, write=False)
    assert sum(row.lx_written for row in rows) == moved(report.traffic, Way.LX, write=True)
    assert traffic_rows(()) == ()


def test_sums_say_what_many_cores_share() -> None:
    shared = StepTraffic("exp", "x", 0, Way.DEVICE_MEMORY, False, 2048, 1024, ((0, 1024), (-1, 1024)))
    words = traffic_words((shared,))
    assert words.startswith("Device memory 2 KiB read (1 KiB once for all cores), 0 B written")
    assert traffic_rows((shared,))[0].cores == 1, "the host is no core"


def test_examples() -> None:
    from spyre_studio import verify_traffic

    assert doctest.testmod(verify_traffic).failed == 0


def test_a_step_that_reads_what_nobody_wrote_says_so() -> None:
    _, report = wrong()
    lost = replace(report.steps[1], unwritten="max", comparison=replace(report.steps[2].comparison))
    told = replace(report, steps=(report.steps[0], lost, *report.steps[2:]))
    assert number_rows(told)[len(report.outputs) + 1].first == "reads max, which no step has written"
    found = divergence(told)
    assert found is not None
    assert (found.step, found.figures[0]) == (lost.step, "Reads max, which no step has written.")
