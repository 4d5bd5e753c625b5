"""Text form of indices and accesses: `x[1024*i+j]`, `k[64*((h)/4)+d]`, `table[256*$0{512}+j]`.

A non-plain term is `C*((sum)/divisor%modulus)`; a gathered index is `C*$instruction{entries}`.
"""

from __future__ import annotations

from compiler.loops import Access, Gather, Index, Term
from compiler.text.cursor import Cursor, quote_name


def print_index(index: Index) -> str:
    """The index without blanks; `0` if it is empty."""
    parts = [_print_term(term) for term in index.terms]
    parts += [f"{gather.coefficient}*${gather.value}{{{gather.size}}}" for gather in index.gathers]
    if index.offset or not parts:
        parts.append(str(index.offset))
    return "+".join(parts)


def print_access(access: Access) -> str:
    """`buffer[index]`."""
    return f"{quote_name(access.buffer)}[{print_index(access.index)}]"


def read_access(cursor: Cursor) -> Access:
    """Inverse of `print_access`."""
    buffer = cursor.name()
    cursor.expect("[")
    index = read_index(cursor)
    cursor.expect("]")
    return Access(buffer, index)


def read_index(cursor: Cursor) -> Index:
    """Inverse of `print_index`."""
    terms: list[Term] = []
    gathers: list[Gather] = []
    offset = 0
    while True:
        part = _read_part(cursor)
        if isinstance(part, Term):
            terms.append(part)
        elif isinstance(part, Gather):
            gathers.append(part)
        else:
            offset += part
        if not cursor.take("+"):
            return Index(offset, tuple(terms), tuple(gathers))


def _print_term(term: Term) -> str:
    if term.plain:
        loop = term.loops[0][0]
        return loop if term.coefficient == 1 else f"{term.coefficient}*{loop}"
    inner = "+".join(f"{factor}*{loop}" for loop, factor in term.loops)
    if term.offset or not term.loops:
        inner = f"{inner}+{term.offset}" if inner else str(term.offset)
    divisor = f"/{term.divisor}" if term.divisor != 1 else ""
    modulus = f"%{term.modulus}" if term.modulus else ""
    return f"{term.coefficient}*(({inner}){divisor}{modulus})"


def _read_part(cursor: Cursor) -> Term | Gather | int:
    if not _sees_number(cursor):
        return Term(1, ((cursor.name(), 1),))
    value = cursor.whole()
    if not cursor.take("*"):
        return value
    if cursor.take("$"):
        return _read_gather(cursor, value)
    if cursor.take("(("):
        return _read_nested(cursor, value)
    return Term(value, ((cursor.name(), 1),))


def _sees_number(cursor: Cursor) -> bool:
    return any(cursor.sees(sign) for sign in "-0123456789")


def _read_gather(cursor: Cursor, coefficient: int) -> Gather:
    value = cursor.whole()
    cursor.expect("{")
    size = cursor.whole()
    cursor.expect("}")
    return Gather(coefficient, value, size)


def _read_nested(cursor: Cursor, coefficient: int) -> Term:
    loops: list[tuple[str, int]] = []
    offset = 0
    while True:
        factor = cursor.whole()
        if cursor.take("*"):
            loops.append((cursor.name(), factor))
        else:
            offset += factor
        if not cursor.take("+"):
            break
    cursor.expect(")")
    divisor = cursor.whole() if cursor.take("/") else 1
    modulus = cursor.whole() if cursor.take("%") else 0
    cursor.expect(")")
    return Term(coefficient, tuple(loops), offset, divisor, modulus)
