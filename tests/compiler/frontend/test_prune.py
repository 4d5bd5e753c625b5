"""Bodies without what is computed for nothing."""

from __future__ import annotations

from compiler.dtypes import DType
from compiler.frontend.prune import Body, pruned
from compiler.loops import Access, Apply, Const, Gather, Index, IndexValue, Load, Term

PLAIN = Index(0, (Term(1, (("i", 1),)),))


def test_only_what_results_masks_and_gathers_need_stays() -> None:
    gathered = Index(0, (), (Gather(8, 3, 5),))
    before = Body(
        steps=(
            Load(0, DType.F16),
            Const(1, DType.I64),
            IndexValue(PLAIN, DType.I64),
            Load(1, DType.I64),
            Apply("lt", (2, 1), DType.BOOL),
            Load(2, DType.F16, 4),
            Apply("neg", (0,), DType.F16),
            Apply("exp", (5,), DType.F16),
        ),
        reads=(Access("unused", PLAIN), Access("rows", PLAIN), Access("table", gathered)),
        results=(7,),
        write=PLAIN,
    )
    after = pruned(before)
    assert after.reads == (Access("rows", PLAIN), Access("table", Index(0, (), (Gather(8, 2, 5),))))
    assert after.steps == (
        Const(1, DType.I64),
        IndexValue(PLAIN, DType.I64),
        Load(0, DType.I64),
        Apply("lt", (1, 0), DType.BOOL),
        Load(1, DType.F16, 3),
        Apply("exp", (4,), DType.F16),
    )
    assert (after.results, after.write) == ((5,), PLAIN)
    assert pruned(after) == after
