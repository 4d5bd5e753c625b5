"""Lessons on products: dim orders, splits that the steps around a product adopt, and attention in one division.

Owns three studies.  Utilisation is the share of a run in which the matrix units worked, over all cores.
"""

from __future__ import annotations

from frozendict import frozendict

from compiler.cost.model import price
from compiler.division import Division
from compiler.machine import UnitKind
from compiler.pins import Pins
from compiler.pipelines import PIPELINES
from compiler.plan import Slot
from spyre_studio.lessons_values import NOTHING, Bench, Figure, Lesson, Row, Run, in_percent, in_times
from spyre_studio.opinions import opinions
from spyre_studio.units import format_us

CORES = 32
_BATCHES, _KERNEL_SIZE, _PRODUCT_SIZE = 32, 1024, 2048
_DEFAULT_ORDERS = PIPELINES["staged"].replace("rule=search", "rule=default")
_MLP = "mlp?rows=4096&width=1024&hidden=4096"
_PRODUCTS = ("up.linear/matmul", "down.linear/matmul")
_ADOPTING = {"up.linear/add": _PRODUCTS[0], "act.gelu": "up.linear/add", "down.linear/add": _PRODUCTS[1]}
_SCORES = ("matmul", "mul", "softmax/max", "softmax/sub", "softmax/exp", "softmax/sum", "softmax/div")
_VALUES = "matmul.2"


# Dim orders


def orders(bench: Bench) -> tuple[Row, ...]:
    """The same product with the batch just before the stick, and outermost."""
    kernel, product = (_both_orders(bench, size) for size in (_KERNEL_SIZE, _PRODUCT_SIZE))
    predicted, simulated = ([run.compilation.cost.total_us for run in kernel], [run.trace.total_us for run in kernel])
    steps = [opinions(run.compilation, run.trace).steps[-1] for run in product]
    device = product[0].compilation.problem.device
    ratio = device.number("sustained_mac_per_ns_core") / device.number("batched_mac_per_ns_core")
    return (
        Row(
            f"kernel time, size {_KERNEL_SIZE}",
            Figure("−29 to −69 %"),
            in_percent(predicted[1] / predicted[0] - 1, signed=True),
            in_percent(simulated[1] / simulated[0] - 1, signed=True),
            "the published kernels are not named; the cost model hides what it can of the slow product behind memory",
        ),
        Row(
            f"the product alone, size {_PRODUCT_SIZE}",
            Figure("up to 8.3 times"),
            in_times(steps[0].predicted_us / steps[1].predicted_us),
            in_times(steps[0].simulated_us / steps[1].simulated_us),
            f"measured on a card; the rates that were fitted to it are {ratio:.1f} times apart, which is the most that "
            "can come out here. With the best order the product waits for memory in the cost model",
        ),
    )


def _both_orders(bench: Bench, size: int) -> tuple[Run, Run]:
    """In default order and in the one the search finds, under one division, so that bytes are equal."""
    spec = f"batched_product?batches={_BATCHES}&rows={size}&inner={size}&columns={size}"
    pins = Pins(division=frozendict({"matmul": frozendict({"b": _BATCHES})}))
    first, second = (bench.run(spec, CORES, pipeline, pins) for pipeline in (_DEFAULT_ORDERS, PIPELINES["staged"]))
    return first, second


# An MLP block


def mlp(bench: Bench) -> tuple[Row, ...]:
    """Pointwise steps on their own, then in the split of the product before them; then products cut along M only."""
    rows_only = frozendict({name: frozendict({"m": CORES}) for name in _PRODUCTS})
    apart = bench.run(_MLP, CORES, PIPELINES["staged"])
    adopting = bench.run(_MLP, CORES, PIPELINES["staged"], Pins(same=frozendict(_ADOPTING)))
    forced = bench.run(_MLP, CORES, PIPELINES["staged"], Pins(division=rows_only))
    costs = [run.compilation.cost for run in (apart, adopting)]
    bundled = [_bundled_us(run) for run in (adopting, forced)]
    return (
        Row(
            "utilisation of matrix units",
            Figure("66 → 79 %"),
            _change([cost.compute_us / cost.total_us for cost in costs]),
            _change([utilisation(run) for run in (apart, adopting)]),
            "the published block has no stated sizes. The cost model knows no utilisation: told is its compute time "
            "over its total, at a higher rate than the simulator's",
        ),
        Row(
            "kernel time",
            Figure("−17 %", -0.17),
            in_percent(costs[1].total_us / costs[0].total_us - 1, signed=True),
            in_percent(adopting.trace.total_us / apart.trace.total_us - 1, signed=True),
            "the cost model hides the products behind what is left of memory traffic, so that it gains more",
        ),
        Row(
            f"products forced to M {CORES}",
            Figure("2.5 times slower", 2.5),
            _slower(bundled[1] / bundled[0]),
            _slower(forced.trace.total_us / adopting.trace.total_us),
            "measured on a card; the cost model charges it in its bundled form, for operands read again because output "
            "tiles are large. The simulator has no such mechanism, and its steps gain from what stays in LX",
        ),
    )


def utilisation(run: Run) -> float:
    """The mean share of the run in which the matrix units worked."""
    machine = run.compilation.problem.device.machine
    assert machine is not None, "a device without a machine is not simulated"
    matrix = {unit.name for unit in machine.units if unit.kind is UnitKind.MATRIX}
    shares = [share for use in run.trace.use if use.unit in matrix for share in use.share]
    return sum(shares) / len(shares)


def _bundled_us(run: Run) -> float:
    return price(run.compilation.problem, run.compilation.plan, form="bundled").total_us


def _change(shares: list[float]) -> Figure:
    before, after = (f"{100 * share:.0f}" for share in shares)
    return Figure(f"{before} → {after} %", shares[1])


def _slower(factor: float) -> Figure:
    return Figure(f"{factor:.1f} times slower" if factor >= 1 else f"{1 / factor:.1f} times faster", factor)


# Attention


def attention(bench: Bench) -> tuple[Row, ...]:
    """All of attention decided together: one division, and scores that never leave LX; then with moves, too."""
    still = PIPELINES["co-optimized"].replace("moves=yes", "moves=no")
    alone, together, moved = (
        bench.run("attention", CORES, spec) for spec in (PIPELINES["staged"], still, PIPELINES["co-optimized"])
    )
    divisions = [_divided(together, step) for step in (*_SCORES, _VALUES)]
    converged = "batch 4 x M 8" if set(divisions) == {(4, 8)} else _listed(divisions)
    placed = together.compilation.plan.placement
    inside = sum(isinstance(placed[name], Slot) for name in _SCORES)
    held = sum(_held(together, name) for name in _SCORES)
    runs = (alone, together, moved)
    totals = [run.compilation.cost.total_us for run in runs]
    times = [run.trace.total_us for run in runs]
    return (
        Row(
            "products and softmax",
            Figure("batch 4 x M 8"),
            Figure(converged),
            NOTHING,
            "",
            True,
            converged == "batch 4 x M 8",
        ),
        Row(
            "scores held in LX",
            Figure("all"),
            Figure(f"{inside} of {len(_SCORES)}"),
            Figure(f"{held} of {len(_SCORES)}"),
            "",
            True,
            inside == held == len(_SCORES),
        ),
        Row(
            "time, apart → together",
            NOTHING,
            Figure(" → ".join(map(format_us, totals[:2])), totals[1]),
            Figure(" → ".join(map(format_us, times[:2])), times[1]),
            opinions(together.compilation, together.trace).whole.reason,
        ),
        Row(
            "time, moves decided with them",
            NOTHING,
            Figure(format_us(totals[2]), totals[2]),
            Figure(format_us(times[2]), times[2]),
            "the published planner of this plan moves nothing; with moves other divisions are quicker",
        ),
    )


def _divided(run: Run, step: str) -> tuple[int, ...]:
    """The factors of a step's heads and rows; more where others are cut, too."""
    op = next(one for one in run.compilation.problem.program.ops if one.name == step)
    factors = run.compilation.plan.divisions.get(step, Division()).factors
    own = [loop.name for loop in op.output_loops[:2]]
    rest = (factor for name, factor in factors.items() if name not in own)
    return (*(factors.get(name, 1) for name in own), *rest)


def _listed(divisions: list[tuple[int, ...]]) -> str:
    return ", ".join(dict.fromkeys(" x ".join(map(str, each)) for each in divisions))


def _held(run: Run, tensor: str) -> bool:
    """True if every core held its part of a tensor in LX in the simulated run."""
    holds, number = run.trace.holds, run.trace.tensors.index(tensor)
    return len(set(holds.core[holds.tensor == number].tolist())) == CORES


LESSONS = (
    Lesson(
        "orders",
        "The order of dims around a batched product",
        f"relu(x) times a weight, {_BATCHES} batches of [size,size] by [size,size] fp16; {CORES} cores cut along "
        "batches in both orders, so that bytes are equal; the default order, then the one of least price",
        "a published range for kernels, and a measured bound for the product itself",
        orders,
    ),
    Lesson(
        "mlp",
        "Pointwise steps adopt the split of the product",
        f"[4096,1024] fp16 through 4096 hidden columns and back (our choice), {CORES} cores; splits adopted by pins",
        "a published block of unstated sizes, measured on a card",
        mlp,
    ),
    Lesson(
        "attention",
        "One division for all of attention",
        f"4 heads of [512,64] fp16 (our choice but for the 4), {CORES} cores; divisions and placement decided "
        "together, without moves; then with moves",
        "a published plan for four heads; no time was published",
        attention,
    ),
)
