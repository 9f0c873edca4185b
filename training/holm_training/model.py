"""The base model in PyTorch, read from its GGUF file, with LoRA on every linear layer.

Q and K stay in the order in which llama.cpp stores them (pairs side by side), and the rotation here follows that order. So an
adapter trained here fits the file as it is, with nothing to permute.
"""

import functools
import math

import torch
import torch.nn.functional as F

LINEARS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


class Model(torch.nn.Module):
    """SmolLM2 as llama.cpp computes it; base weights are frozen, the adapter learns."""

    compiled = None

    def __init__(self, path, device="cpu", dtype=torch.float32):
        super().__init__()
        from gguf import GGUFReader, quants

        reader = GGUFReader(path)
        number = lambda key: reader.fields[f"llama.{key}"].contents()
        self.layers, self.width = number("block_count"), number("embedding_length")
        self.heads, self.kv_heads = number("attention.head_count"), number("attention.head_count_kv")
        self.eps, self.base = number("attention.layer_norm_rms_epsilon"), number("rope.freq_base")
        self.head = self.width // self.heads
        self.device, self.dtype = torch.device(device), dtype
        self.weights = {
            tensor.name.removesuffix(".weight"): torch.from_numpy(
                quants.dequantize(tensor.data, tensor.tensor_type).copy()
            ).to(device, dtype)
            for tensor in reader.tensors
        }
        self.lora, self.scale, self.merged = torch.nn.ParameterDict(), 1.0, None

    def add_adapter(self, rank, alpha, seed):
        """LoRA on all seven linears of every layer: A is random, B is zero, so that training starts at the base model."""
        generator = torch.Generator().manual_seed(seed)
        self.scale = alpha / rank
        for layer in range(self.layers):
            for name in LINEARS:
                out, into = self.weights[f"blk.{layer}.{name}"].shape
                a = torch.empty(rank, into).uniform_(-1, 1, generator=generator) * math.sqrt(3 / into)
                self.lora[f"{layer}_{name}_a"] = torch.nn.Parameter(a.to(self.device))
                self.lora[f"{layer}_{name}_b"] = torch.nn.Parameter(
                    torch.zeros(out, rank, device=self.device)
                )

    def merge(self, on=True):
        """Adds the adapter into the weights (for fast generation), or takes it out again."""
        self.merged = None
        if not on:
            return
        merged = {}
        for layer in range(self.layers):
            for name in LINEARS:
                key = f"blk.{layer}.{name}"
                delta = (
                    self.lora[f"{layer}_{name}_b"].detach().float()
                    @ self.lora[f"{layer}_{name}_a"].detach().float()
                )
                merged[key] = (self.weights[key].float() + self.scale * delta).to(self.dtype)
        self.merged = merged

    def rotation(self, positions):
        """Cosines and sines for positions, one per pair."""
        rates = self.base ** (-torch.arange(0, self.head, 2, device=self.device).float() / self.head)
        angles = positions.float().unsqueeze(-1) * rates
        return angles.cos().to(self.dtype), angles.sin().to(self.dtype)

    def parts(self, layer, adapt):
        """The weights of a layer's linears, each with its pair of adapter matrices where one is learned beside it."""
        for name in LINEARS:
            key = f"blk.{layer}.{name}"
            if adapt == "train":
                yield self.weights[key], self.lora[f"{layer}_{name}_a"], self.lora[f"{layer}_{name}_b"]
            else:
                yield (self.merged if adapt == "merged" else self.weights)[key], None, None

    def hidden(self, tokens, positions, adapt, cache=None, mask=None):
        """The last hidden states. With a cache, keys and values go to each row's own places."""
        cos, sin = self.rotation(positions)
        x = F.embedding(tokens, self.weights["token_embd"])
        if adapt == "train":
            # All layers then look alike to the compiler, the first one too.
            x.requires_grad_()
        sizes = (self.heads, self.kv_heads, self.head, self.eps, self.scale)
        run = self.compiled if adapt == "train" and self.compiled else block
        for layer in range(self.layers):
            norms = [self.weights[f"blk.{layer}.{name}"] for name in ("attn_norm", "ffn_norm")]
            keep = None if cache is None else functools.partial(cache.put, layer, positions)
            x = run(x, cos, sin, norms, list(self.parts(layer, adapt)), sizes, keep, mask)
        return F.rms_norm(x, (self.width,), self.weights["output_norm"], self.eps)

    def fuse(self):
        """Compiles what one layer computes while it learns; costs half a minute at the start."""
        self.compiled = torch.compile(block)

    def logits(self, hidden):
        return F.linear(hidden, self.weights["token_embd"])


def rotate(x, cos, sin):
    """Turns each pair of neighbours; `x` is batch, heads, length, head."""
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


def block(x, cos, sin, norms, parts, sizes, keep=None, mask=None):
    """One layer; a function of tensors alone, so that one compiled form serves all layers."""
    heads, kv_heads, head, eps, scale = sizes
    batch, length, width = x.shape

    def linear(which, x):
        weight, a, b = parts[which]
        y = F.linear(x, weight)
        return y if a is None else y + F.linear(F.linear(x, a.to(x.dtype)), (b * scale).to(x.dtype))

    y = F.rms_norm(x, (width,), norms[0], eps)
    q = rotate(linear(0, y).view(batch, length, heads, head).transpose(1, 2), cos, sin)
    k = rotate(linear(1, y).view(batch, length, kv_heads, head).transpose(1, 2), cos, sin)
    v = linear(2, y).view(batch, length, kv_heads, head).transpose(1, 2)
    if keep is not None:
        k, v = keep(k, v)
    z = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None, enable_gqa=True)
    x = x + linear(3, z.transpose(1, 2).reshape(batch, length, width))
    y = F.rms_norm(x, (width,), norms[1], eps)
    return x + linear(6, F.silu(linear(4, y)) * linear(5, y))


class Cache:
    """Keys and values of a batch whose rows have different lengths."""

    def __init__(self, model, batch, room):
        shape = (model.layers, batch, model.kv_heads, room, model.head)
        self.k = torch.zeros(shape, device=model.device, dtype=model.dtype)
        self.v = torch.zeros(shape, device=model.device, dtype=model.dtype)
        self.rows = torch.arange(batch, device=model.device)

    def put(self, layer, positions, k, v):
        rows = self.rows.unsqueeze(1)
        self.k[layer, rows, :, positions] = k.transpose(1, 2)
        self.v[layer, rows, :, positions] = v.transpose(1, 2)
        return self.k[layer], self.v[layer]


@torch.no_grad()
def generate(model, prompts, adapt, limit, end, choose=None):
    """Greedy replies to token lists; `choose(row, written, logits)` may overrule the best token of a row."""
    batch, longest = len(prompts), max(map(len, prompts))
    device = model.device
    tokens = torch.zeros(batch, longest, dtype=torch.long)
    for row, prompt in enumerate(prompts):
        tokens[row, : len(prompt)] = torch.tensor(prompt)
    lengths = torch.tensor([len(prompt) for prompt in prompts], device=device)
    room = longest + limit
    cache = Cache(model, batch, room)
    positions = torch.arange(longest, device=device).expand(batch, longest)
    causal = torch.ones(longest, room, dtype=torch.bool, device=device).tril()
    hidden = model.hidden(
        tokens.to(device), positions, adapt, cache, causal[None, None].expand(batch, 1, longest, room)
    )
    last = hidden[cache.rows, lengths - 1]
    written, done = [[] for _ in prompts], [False] * batch
    for _ in range(limit):
        logits = model.logits(last)
        best = logits.argmax(-1).tolist()
        if choose:
            best = [
                best[row] if done[row] else choose(row, written[row], logits[row], best[row])
                for row in range(batch)
            ]
        for row, token in enumerate(best):
            done[row] = done[row] or token == end
            if not done[row]:
                written[row].append(token)
        if all(done):
            break
        step = torch.tensor(best, device=device).unsqueeze(1)
        mask = (torch.arange(room, device=device) <= lengths.unsqueeze(1))[:, None, None]
        last = model.hidden(step, lengths.unsqueeze(1), adapt, cache, mask)[:, 0]
        lengths = lengths + 1
    return written
