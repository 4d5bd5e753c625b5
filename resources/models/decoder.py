"""A decoder block: RoPE, grouped-query attention, SwiGLU."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention, silu


@dataclass(frozen=True)
class Sizes:
    """The sizes of a block; a head has `head` lanes, and `heads // kv_heads` query heads share one key and value."""

    hidden: int = 1024
    heads: int = 8
    kv_heads: int = 2
    head: int = 128
    intermediate: int = 2816
    sequence: int = 128


def linear(inputs: int, outputs: int) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=False, dtype=torch.float16)


class RMSNorm(nn.Module):
    """Divide each row by the root of its mean square, in float32, then scale it in float16."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, dtype=torch.float16))
        self.variance_epsilon = eps

    def forward(self, hidden_states: Tensor) -> Tensor:
        wide = hidden_states.to(torch.float32)
        variance = wide.pow(2).mean(-1, keepdim=True)
        wide = wide * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * wide.to(hidden_states.dtype)


def rotate_half(x: Tensor) -> Tensor:
    """The second half of each head, negated, before the first half."""
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


class RotaryEmbedding(nn.Module):
    """Turn each pair of lanes by an angle that grows with the position; tables [sequence, head]."""

    cos: Tensor
    sin: Tensor

    def __init__(self, sequence: int, head: int, theta: float = 10000.0) -> None:
        super().__init__()
        rates = theta ** (-torch.arange(0, head, 2, dtype=torch.float32) / head)
        angles = torch.outer(torch.arange(sequence, dtype=torch.float32), rates)
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos().to(torch.float16))
        self.register_buffer("sin", angles.sin().to(torch.float16))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.cos + rotate_half(x) * self.sin


class Attention(nn.Module):
    """Causal attention in which groups of query heads share keys and values."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.head_dim = sizes.head
        self.q_proj = linear(sizes.hidden, sizes.heads * sizes.head)
        self.k_proj = linear(sizes.hidden, sizes.kv_heads * sizes.head)
        self.v_proj = linear(sizes.hidden, sizes.kv_heads * sizes.head)
        self.o_proj = linear(sizes.heads * sizes.head, sizes.hidden)
        self.rotary_emb = RotaryEmbedding(sizes.sequence, sizes.head)

    def forward(self, hidden_states: Tensor) -> Tensor:
        batch, sequence, _ = hidden_states.shape
        shape = (batch, sequence, -1, self.head_dim)
        query = self.q_proj(hidden_states).view(shape).transpose(1, 2)
        key = self.k_proj(hidden_states).view(shape).transpose(1, 2)
        value = self.v_proj(hidden_states).view(shape).transpose(1, 2)
        query, key = self.rotary_emb(query), self.rotary_emb(key)
        heads = scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        joined = heads.transpose(1, 2).reshape(batch, sequence, -1)
        output: Tensor = self.o_proj(joined)
        return output


class MLP(nn.Module):
    """SwiGLU: one projection gates the other."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.gate_proj = linear(sizes.hidden, sizes.intermediate)
        self.up_proj = linear(sizes.hidden, sizes.intermediate)
        self.down_proj = linear(sizes.intermediate, sizes.hidden)

    def forward(self, x: Tensor) -> Tensor:
        gated = silu(self.gate_proj(x)) * self.up_proj(x)
        output: Tensor = self.down_proj(gated)
        return output


class DecoderLayer(nn.Module):
    """Attention and MLP, each behind a norm and beside a residual connection."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(sizes.hidden)
        self.self_attn = Attention(sizes)
        self.post_attention_layernorm = RMSNorm(sizes.hidden)
        self.mlp = MLP(sizes)

    def forward(self, hidden_states: Tensor) -> Tensor:
        hidden_states = hidden_states + self.self_attn(self.input_layernorm(hidden_states))
        output: Tensor = hidden_states + self.mlp(self.post_attention_layernorm(hidden_states))
        return output


def factory(sequence: int = 128, hidden: int = 1024, intermediate: int = 2816) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The block and hidden states [1, sequence, hidden] in float16; heads of 128 lanes, four to one key and value."""
    torch.manual_seed(0)
    heads = hidden // 128
    sizes = Sizes(hidden, heads, max(1, heads // 4), 128, intermediate, sequence)
    return DecoderLayer(sizes).eval(), (torch.randn(1, sequence, hidden, dtype=torch.float16),)
