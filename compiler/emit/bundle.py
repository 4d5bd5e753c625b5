"""Bundle: the order and the addresses of the SuperDSC files of one kernel, as `bundle.mlir`.

Owns the text (facts 4.1), indented by tabs, and the same in the generic form of MLIR, which tools read that do not know
the dialect.  Refuses loops: kernels of ours are unrolled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiler.emit.sdsc_address import Address, Numbered
from compiler.formats.opspec import KernelSpec

_TYPE = "!sdscbundle.input_arg<index>"


def bundle_text(kernel: KernelSpec, files: Sequence[Numbered]) -> str:
    """The bundle of a kernel whose files have these addresses."""
    used = _arguments(kernel, files)
    params = ", ".join(f"%arg_{place}_base_addr: {_TYPE}" for place in used)
    lines = [f"\tfunc.func @sdsc_bundle({params}) {{"]
    if kernel.pool_bytes:
        lines.append(f"\t\t%pool = sdscbundle.device_mem_allocate {kernel.pool_bytes} bytes : index")
    lines += [
        f"\t\t%arg_{place} = sdscbundle.input_arg_extract value from %arg_{place}_base_addr : {_TYPE} -> index"
        for place in used
    ]
    lines += [f"\t\t{line}" for line in _addresses(files)]
    lines += [f"\t\t{_execute(number, numbered)}" for number, numbered in enumerate(files)]
    return "\n".join(["module {", *lines, "\t\treturn", "\t}", "}", ""])


def generic_bundle(kernel: KernelSpec, files: Sequence[Numbered]) -> str:
    """The same bundle in generic form: every op quoted, attributes in braces."""
    used = _arguments(kernel, files)
    types = ", ".join("index" for _ in used)
    params = ", ".join(f"%arg_{place}_base_addr: index" for place in used)
    head = f'"func.func"() <{{function_type = ({types}) -> (), sym_name = "sdsc_bundle"}}> ({{'
    lines = ['"builtin.module"() ({', f"  {head}", f"  ^bb0({params}):"]
    if kernel.pool_bytes:
        lines.append(
            f'    %pool = "sdscbundle.device_mem_allocate"() {{bytes = {kernel.pool_bytes} : index}} : () -> index'
        )
    lines += [
        f'    %arg_{place} = "sdscbundle.input_arg_extract"(%arg_{place}_base_addr) : (index) -> index'
        for place in used
    ]
    lines += [f"    {_quoted(line)}" for line in _addresses(files)]
    for number, numbered in enumerate(files):
        names, ids = ", ".join(_name(address) for _, address in numbered.ids), [each for each, _ in numbered.ids]
        operands = ", ".join("index" for _ in ids)
        lines.append(
            f'    "sdscbundle.sdsc_execute"({names}) {{sdsc_filename = "sdsc_{number}.json", '
            f"symbol_ids = {ids}}} : ({operands}) -> ()"
        )
    return "\n".join([*lines, '    "func.return"() : () -> ()', "  }) : () -> ()", "}) : () -> ()", ""])


def _arguments(kernel: KernelSpec, files: Sequence[Numbered]) -> list[int]:
    numbers = {address.number for file in files for _, address in file.ids if not address.pool}
    return sorted(numbers | {argument.number for argument in kernel.arguments})


def _addresses(files: Sequence[Numbered]) -> Iterator[str]:
    """Constants and sums of all distinct addresses, in the order of their ids, each once."""
    said: set[str] = set()
    for file in files:
        for _, address in sorted(file.ids, reverse=True):
            yield from _address(address, said)


def _address(address: Address, said: set[str]) -> Iterator[str]:
    if address.pool:
        yield from _sum("%pool_addr_", "%pool_offset_", "%pool", address.beyond, said)
        return
    base = f"%arg_{address.number}"
    if address.start:
        yield from _sum(f"{base}_slice_", f"{base}_slice_offset_", base, address.start, said)
        base = f"{base}_slice_{address.start}"
    if address.beyond:
        yield from _sum(f"{base}_core_", f"{base}_core_offset_", base, address.beyond, said)


def _sum(name: str, offset: str, base: str, count: int, said: set[str]) -> Iterator[str]:
    if f"{name}{count}" in said:
        return
    said.add(f"{name}{count}")
    yield f"{offset}{count} = arith.constant {count} : index"
    yield f"{name}{count} = arith.addi {base}, {offset}{count} : index"


def _name(address: Address) -> str:
    if address.pool:
        return f"%pool_addr_{address.beyond}"
    base = f"%arg_{address.number}"
    base = f"{base}_slice_{address.start}" if address.start else base
    return f"{base}_core_{address.beyond}" if address.beyond else base


def _execute(number: int, file: Numbered) -> str:
    names = ", ".join(_name(address) for _, address in file.ids)
    ids = ", ".join(str(each) for each, _ in file.ids)
    return f'sdscbundle.sdsc_execute ({names}) {{sdsc_filename="sdsc_{number}.json", "symbol_ids"=[{ids}]}}'


def _quoted(line: str) -> str:
    name, _, rest = line.partition(" = ")
    operation, _, operands = rest.partition(" ")
    if operation == "arith.constant":
        return f'{name} = "arith.constant"() <{{value = {operands}}}> : () -> index'
    names = operands.rpartition(" : ")[0]
    return f'{name} = "arith.addi"({names}) : (index, index) -> index'
