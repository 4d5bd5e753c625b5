"""How numbers are written for people, everywhere in the window: times, bytes, counts, addresses, shares.

Owns: units and rounding. Refuses: locale, colour and arithmetic beyond scaling. A value that is not finite is a dash.
"""

from math import isfinite
from typing import Final

KIB: Final = 1024
MIB: Final = 1024**2
GIB: Final = 1024**3
UNKNOWN: Final = "–"
MINUS: Final = "−"  # the typographic minus lines up with the plus sign

_BYTE_UNITS: Final = ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"))


def format_us(microseconds: float, signed: bool = False) -> str:
    """A time with four significant digits at most. Examples: '412.6 µs', '1.85 ms', '−18.4 µs' (signed)."""
    if not isfinite(microseconds):
        return UNKNOWN
    size = abs(microseconds)
    if size >= 999_950:
        text = f"{size / 1e6:.2f} s"
    elif size >= 999.95:
        text = f"{size / 1e3:.2f} ms"
    else:
        text = f"{size:.2f} µs" if 0 < size < 0.995 else f"{size:.1f} µs"
    return _sign(microseconds, signed) + text


def format_time(microseconds: float, signed: bool = False) -> str:
    """A time of a report in which short ones stand beside long ones: below a microsecond in ns.  Examples: '412.6 µs',
    '1.85 ms', '149.8 ns', '0 µs'; with a sign, '+3.9 ns'."""
    nanoseconds = 1000 * microseconds
    if not isfinite(microseconds) or abs(nanoseconds) >= 999.95:
        return format_us(microseconds, signed)
    if abs(nanoseconds) < 0.05:
        return "0 µs"
    return f"{_sign(microseconds, signed)}{abs(nanoseconds):.1f} ns"


def format_us_below(microseconds: float) -> str:
    """A time in a column headed µs: bare, and with its own unit from a millisecond on. Examples: '412.6', '1.85 ms'."""
    return format_number(microseconds) if abs(microseconds) < 999.95 else format_us(microseconds)


def format_number(value: float, digits: int = 1, signed: bool = False) -> str:
    """A bare number for a column whose header names the unit. Examples: '412.6', '+3.0' (signed)."""
    if not isfinite(value):
        return UNKNOWN
    return _sign(value, signed) + f"{abs(value):,.{digits}f}"


def format_bytes(size: float, signed: bool = False) -> str:
    """A size in B, KiB, MiB or GiB, powers of 1024. Examples: '512 B', '96 KiB', '1.55 MiB'."""
    if not isfinite(size):
        return UNKNOWN
    amount = abs(size)
    for unit, name in _BYTE_UNITS:
        if amount >= unit:
            scaled = amount / unit
            text = f"{scaled:.0f}" if scaled == int(scaled) else f"{scaled:.1f}" if scaled >= 100 else f"{scaled:.2f}"
            return f"{_sign(size, signed)}{text} {name}"
    return f"{_sign(size, signed)}{amount:.0f} B"


def format_count(count: float, noun: str = "", plural: str = "") -> str:
    """A count with thousands separators, and its noun in the right number. Examples: '1,625,344', '1 op', '91 ops'."""
    if not isfinite(count):
        return UNKNOWN
    text = f"{count:,.0f}"
    if not noun:
        return text
    return f"{text} {noun}" if count == 1 else f"{text} {plural or noun + 's'}"


def format_hex(address: int) -> str:
    """A byte address in at least five hex digits. Example: '0x00800'."""
    return f"0x{address:05X}"


def format_address(address: int, stick_bytes: int) -> str:
    """An address with its bytes and sticks, as shown on hover. Example, sticks of 64: '0x00800 (2,048 B, stick 32)'."""
    stick, rest = divmod(address, stick_bytes)
    place = f"stick {stick:,}" if rest == 0 else f"stick {stick:,} + {rest} B"
    return f"{format_hex(address)} ({address:,} B, {place})"


def format_percent(share: float) -> str:
    """A share in 0..1 as a percentage. Examples: '0.4 %', '73 %', '100 %'."""
    if not isfinite(share):
        return UNKNOWN
    percent = share * 100
    return f"{percent:.1f} %" if 0 < abs(percent) < 9.95 else f"{percent:.0f} %"


def format_shape(shape: tuple[int, ...]) -> str:
    """A tensor shape. Example: '[4,512,64]'."""
    return "[" + ",".join(str(extent) for extent in shape) + "]"


def _sign(value: float, signed: bool) -> str:
    if value < 0:
        return MINUS
    return "+" if signed and value > 0 else ""
