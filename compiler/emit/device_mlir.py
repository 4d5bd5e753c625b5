"""Device description: memories, units and datapaths of a core, in the form that the dataflow scheduler reads.

Owns the structure: device memory, and per core a scratchpad, two units that move data between them, and vector units
with load and store units of their own.  Refuses numbers of its own: sizes, lanes and depths are those of the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compiler.device import Device
from compiler.dtypes import DType
from compiler.emit.format import Material

NEEDED: Final = ("hbm_usable_bytes", "lx_bytes", "vector_register_bytes", "fifo_entries", "corelets")


def device_lines(material: Material) -> Iterator[str]:
    """The description, piece by piece."""
    device = material.compilation.problem.device
    yield from (f"{line}\n" for line in _attributes(device))
    yield f"\nktdf_arch.device @{_name(device)} {{\n  %ddr = memory #DDR\n"
    yield "  // Every core is like this one.\n"
    yield from (f"  {line}\n" for line in _core(device))
    yield "}\n"


def device_limits(material: Material) -> tuple[str, ...]:
    """Numbers that the description needs and a device may not have."""
    device = material.compilation.problem.device
    return tuple(f"{device.name}: its device file has no number '{key}'" for key in NEEDED if key not in device.numbers)


def _name(device: Device) -> str:
    return "".join(each if each.isalnum() else "_" for each in device.name)


def _attributes(device: Device) -> Iterator[str]:
    stick, lanes = device.stick_bytes, device.elements_per_stick[DType.F16]
    depth, register = device.count("fifo_entries"), device.count("vector_register_bytes")
    yield f'#DDR = {{ kind = "DDR", size = {device.count("hbm_usable_bytes")} }}'
    yield f'#L1 = {{ kind = "L1", size = {device.count("lx_bytes")} }}'
    yield f"#DMA_PATH = {{ ktdf_arch.transfer_granularity = array<i64: {stick}> }}"
    for kind, feature in (("MNILU", "load"), ("MNISU", "store")):
        yield f"#{kind} = {{"
        yield f'  kind = "{kind}",'
        yield f"  ktdf_arch.features = {{ ktdf_arch.feature.{feature} = {{"
        yield f'    word_size = #ktdf_arch.map<"DDR" = {stick}, "L1" = {stick}>,'
        words = "[{size_in_words = 1, align_in_words = 1}]"
        yield f'    access_granularity = #ktdf_arch.map<"DDR" = {words}, "L1" = {words}>'
        yield "  } },"
        yield "  dataflow_scheduler.double_buffer_last"
        yield "}"
    yield "#SFU = {"
    yield '  kind = "SFU",'
    yield "  ktdf_arch.features = {"
    yield "    ktdf_arch.feature.compute,"
    yield f"    ktdf_arch.feature.simd = {{ lanes = #ktdf_arch.map<f16 = {lanes}> }}"
    yield "  }"
    yield "}"
    yield f'#SFU_REG = {{ kind = "SFU_REG", size = {register} }}'
    for kind, feature, more in (
        ("L1LU", "load", ", ktdf_arch.feature.simd = { splat, zero_pad }"),
        ("L1SU", "store", ""),
    ):
        words = f"[{{size_in_words = {lanes}, align_in_words = {lanes}}}]"
        yield f"#{kind} = {{"
        yield f'  kind = "{kind}",'
        yield f"  ktdf_arch.features = {{ ktdf_arch.feature.{feature} = {{"
        yield f'    access_granularity = #ktdf_arch.map<"L1" = {words}>'
        yield f"  }}{more} }}"
        yield "}"
    yield f"#FIFO = {{ ktdf_arch.features = {{ ktdf_arch.feature.queue = {{ depth = {depth}, ordered }} }} }}"


def _core(device: Device) -> Iterator[str]:
    yield 'group { kind = "core" } share(%ddr) {'
    yield "  %l1 = memory #L1"
    yield "  %mnilu = exec_unit #MNILU"
    yield "  %mnisu = exec_unit #MNISU"
    yield "  datapath #DMA_PATH %ddr to %mnilu : memory, exec_unit"
    yield "  datapath #DMA_PATH %mnilu to %l1 : exec_unit, memory"
    yield "  datapath #DMA_PATH %l1 to %mnisu : memory, exec_unit"
    yield "  datapath #DMA_PATH %mnisu to %ddr : exec_unit, memory"
    for _ in range(device.count("corelets")):
        yield "  group share(%l1) {"
        yield '    %sfu = group { kind = "SFU_Block" } share() {'
        yield "      %registers = memory #SFU_REG"
        yield "      %unit = exec_unit #SFU"
        yield "      yield %unit"
        yield "    } -> exec_unit"
        yield "    %l1lu = exec_unit #L1LU"
        yield "    %l1su = exec_unit #L1SU"
        yield "    datapath #FIFO %l1 to %l1lu : memory, exec_unit"
        yield "    datapath #FIFO %l1lu to %sfu : exec_unit, exec_unit"
        yield "    datapath #FIFO %sfu to %l1su : exec_unit, exec_unit"
        yield "    datapath #FIFO %l1su to %l1 : exec_unit, memory"
        yield "  }"
    yield "}"
