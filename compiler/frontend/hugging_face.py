"""Hugging Face configs: `config.json?sequence=128&dtype=float16` builds the model that it describes, without weights.

Owns choosing the class and example inputs.  Refuses code that a config points to outside the installed package
`transformers`, which is looked for only when a config is opened: the compiler does not depend on it.
"""

from __future__ import annotations

import importlib
import json
from types import ModuleType

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from compiler.errors import InputError
from compiler.frontend.capture import quiet, shortened
from compiler.frontend.factory import Example, faked
from compiler.frontend.specs import ConfigSpec, Parameter

_DEFAULTS: dict[str, Parameter] = {"sequence": 128, "batch": 1, "dtype": "float16"}
_DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32}


class FirstResult(nn.Module):
    """A model without its cache, fed the same values for each input; its result is the first tensor it returns."""

    def __init__(self, model: nn.Module, inputs: tuple[str, ...]) -> None:
        super().__init__()
        self.model = model
        self.inputs = inputs

    def forward(self, values: Tensor) -> Tensor:
        result: Tensor = self.model(**dict.fromkeys(self.inputs, values), return_dict=False)[0]
        return result


def build_config(spec: ConfigSpec) -> Example:
    """The model of a config on fake weights, and an input for it; InputError says why there is none."""
    options = _options(spec)
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    default = torch.get_default_dtype()
    try:
        with quiet(), torch.no_grad(), torch.device("meta"):
            torch.set_default_dtype(_DTYPES[str(options["dtype"])])
            model, config = _model(spec, importlib.import_module("transformers"))
    except InputError:
        raise
    except Exception as error:
        why = f"transformers cannot build it, {type(error).__name__} ({shortened(error)})"
        raise InputError(str(spec.path), why, "check that its version knows the model") from error
    finally:
        torch.set_default_dtype(default)
    main_input = str(getattr(model, "main_input_name", "input_ids"))
    pair = main_input == "input_ids" and getattr(config, "is_encoder_decoder", False)
    wrapped = FirstResult(model.eval(), (main_input, "decoder_input_ids") if pair else (main_input,))
    mode.shape_env = ShapeEnv()
    return faked(Example(wrapped, (_input(spec, main_input, config, options),), {}), mode)


def _options(spec: ConfigSpec) -> dict[str, Parameter]:
    given = dict(spec.parameters)
    unknown = [name for name in given if name not in _DEFAULTS]
    if unknown:
        raise InputError(str(spec.path), f"it has no parameter {unknown[0]}", f"it takes {', '.join(_DEFAULTS)}")
    options = {**_DEFAULTS, **given}
    if options["dtype"] not in _DTYPES:
        raise InputError(str(spec.path), f"{options['dtype']} is no type to build it in", f"use {', '.join(_DTYPES)}")
    return options


def _model(spec: ConfigSpec, package: ModuleType) -> tuple[nn.Module, object]:
    described = json.loads(spec.path.read_text(encoding="utf-8"))
    if "auto_map" in described:
        raise InputError(str(spec.path), "its model is code outside transformers", "pass the model as FILE.py:FACTORY")
    kind = str(described.pop("model_type", ""))
    config = package.AutoConfig.for_model(kind, **described)
    config.use_cache = False
    named = [getattr(package, name, None) for name in described.get("architectures") or []]
    classes = [found for found in named if isinstance(found, type) and issubclass(found, nn.Module)]
    model = classes[0](config) if classes else package.AutoModel.from_config(config)
    assert isinstance(model, nn.Module)
    return model, config


def _input(spec: ConfigSpec, name: str, config: object, options: dict[str, Parameter]) -> Tensor:
    batch, sequence = int(options["batch"]), int(options["sequence"])
    if name == "input_ids":
        return torch.empty((batch, sequence), dtype=torch.int64, device="meta")
    if name == "pixel_values":
        size = getattr(config, "image_size", 224)
        height, width = size if isinstance(size, list | tuple) else (size, size)
        channels = int(getattr(config, "num_channels", 3))
        return torch.empty((batch, channels, height, width), dtype=_DTYPES[str(options["dtype"])], device="meta")
    why = f"it takes {name}, and what that looks like is not known here"
    raise InputError(str(spec.path), why, "pass the model as FILE.py:FACTORY with example inputs")
