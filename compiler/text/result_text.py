"""Text form of what a compilation adds to its plan: cost, verdicts, pass log, solver status."""

from __future__ import annotations

from compiler.compilation import PassRecord, SolverStatus, Verdict
from compiler.price import Cost, CostTerm, KernelCost, StepCost
from compiler.text.cursor import Cursor, Lines, quote, quote_name


def print_cost(cost: Cost) -> str:
    """`cost` with totals, then kernels, then steps with their terms; times in microseconds."""
    totals = f"{cost.total_us!r} {cost.compute_us!r} {cost.hbm_us!r} {cost.serial_us!r} {cost.hbm_bytes}"
    moves = f"{cost.relayout_us!r} {cost.restickify_us!r} {cost.restickify_elements}"
    lines = [f"cost {totals} {moves}"]
    for kernel in cost.kernels:
        steps = ", ".join(map(quote_name, kernel.steps))
        lines.append(f"  kernel {quote_name(kernel.kernel)} {kernel.total_us!r} ({steps})")
    for step in cost.steps:
        times = f"{step.total_us!r} {step.compute_us!r} {step.hbm_us!r} {step.serial_us!r}"
        lines.append(f"  step {quote_name(step.step)} {times} {step.read_bytes} {step.write_bytes}")
        for term in step.terms:
            words = f"{quote(term.formula)} {quote(term.inputs)} ({', '.join(map(quote_name, term.constants))})"
            lines.append(f"    term {quote_name(term.name)} {term.microseconds!r} {words}")
    return "\n".join(lines) + "\n"


def read_cost(lines: Lines) -> Cost:
    """Inverse of `print_cost`."""
    head = lines.cursor()
    head.expect("cost")
    total, compute, hbm, serial, hbm_bytes = head.real(), head.real(), head.real(), head.real(), head.whole()
    relayout, restickify, elements = head.real(), head.real(), head.whole()
    head.end()
    kernels: list[KernelCost] = []
    steps: list[StepCost] = []
    while lines.starts("kernel"):
        kernels.append(_read_kernel(lines.cursor()))
    while lines.starts("step"):
        steps.append(_read_step(lines))
    return Cost(total, compute, hbm, serial, hbm_bytes, relayout, restickify, elements, tuple(steps), tuple(kernels))


def print_verdicts(verdicts: tuple[Verdict, ...]) -> str:
    """`verdicts` and one line per check, with its violations below."""
    lines = ["verdicts"]
    for verdict in verdicts:
        lines.append(f"  check {quote_name(verdict.check)} {'ok' if verdict.ok else 'failed'}")
        lines += [f"    because {quote(violation)}" for violation in verdict.violations]
    return "\n".join(lines) + "\n"


def read_verdicts(lines: Lines) -> tuple[Verdict, ...]:
    """Inverse of `print_verdicts`."""
    head = lines.cursor()
    head.expect("verdicts")
    verdicts: list[Verdict] = []
    while lines.starts("check"):
        cursor = lines.cursor()
        cursor.expect("check")
        name = cursor.name()
        good = cursor.word("ok")
        if not good:
            cursor.expect("failed")
        verdicts.append(Verdict(name, good, _read_texts(lines, "because")))
    return tuple(verdicts)


def print_log(log: tuple[PassRecord, ...], solver: SolverStatus) -> str:
    """`log`, one line per pass with what it decided below, and the solver's status."""
    lines = ["log"]
    for record in log:
        lines.append(f"  pass {quote(record.spec)} {record.seconds!r}")
        lines += [f"    decided {quote(text)}" for text in record.decided]
    times = f"{solver.objective_us!r} {solver.bound_us!r} {solver.gap!r} {solver.seconds!r}"
    lines.append(f"  solver {quote(solver.name)} {quote(solver.status)} {times}")
    return "\n".join(lines) + "\n"


def read_log(lines: Lines) -> tuple[tuple[PassRecord, ...], SolverStatus]:
    """Inverse of `print_log`."""
    head = lines.cursor()
    head.expect("log")
    log: list[PassRecord] = []
    while lines.starts("pass"):
        cursor = lines.cursor()
        cursor.expect("pass")
        spec, seconds = cursor.string(), cursor.real()
        log.append(PassRecord(spec, seconds, _read_texts(lines, "decided")))
    cursor = lines.cursor()
    cursor.expect("solver")
    name, status = cursor.string(), cursor.string()
    return tuple(log), SolverStatus(name, status, cursor.real(), cursor.real(), cursor.real(), cursor.real())


def _read_texts(lines: Lines, word: str) -> tuple[str, ...]:
    texts: list[str] = []
    while lines.starts(word):
        cursor = lines.cursor()
        cursor.expect(word)
        texts.append(cursor.string())
    return tuple(texts)


def _read_kernel(cursor: Cursor) -> KernelCost:
    cursor.expect("kernel")
    name, total = cursor.name(), cursor.real()
    cursor.expect("(")
    return KernelCost(name, total, cursor.until(")", cursor.name))


def _read_step(lines: Lines) -> StepCost:
    cursor = lines.cursor()
    cursor.expect("step")
    name, total, compute = cursor.name(), cursor.real(), cursor.real()
    hbm, serial, read_bytes, write_bytes = cursor.real(), cursor.real(), cursor.whole(), cursor.whole()
    terms: list[CostTerm] = []
    while lines.starts("term"):
        terms.append(_read_term(lines.cursor()))
    return StepCost(name, total, compute, hbm, serial, read_bytes, write_bytes, tuple(terms))


def _read_term(cursor: Cursor) -> CostTerm:
    cursor.expect("term")
    name, microseconds, formula, inputs = cursor.name(), cursor.real(), cursor.string(), cursor.string()
    cursor.expect("(")
    return CostTerm(name, microseconds, formula, inputs, cursor.until(")", cursor.name))
