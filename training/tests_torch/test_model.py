"""The model, on a tiny one with random weights: needs torch, numpy and gguf."""

import os
import tempfile
import unittest

import torch

from holm_training import adapter
from holm_training.model import Model, generate

END = 49


def tiny():
    """Two layers, two heads, fifty tokens."""
    torch.manual_seed(1)
    model = Model.__new__(Model)
    torch.nn.Module.__init__(model)
    model.layers, model.width, model.heads, model.kv_heads, model.head = 2, 64, 2, 1, 32
    model.eps, model.base, model.device, model.dtype = 1e-5, 10000.0, torch.device("cpu"), torch.float32
    shapes = {
        "attn_q": (64, 64),
        "attn_k": (32, 64),
        "attn_v": (32, 64),
        "attn_output": (64, 64),
        "ffn_gate": (96, 64),
        "ffn_up": (96, 64),
        "ffn_down": (64, 96),
    }
    model.weights = {"token_embd": torch.randn(50, 64), "output_norm": torch.ones(64)}
    for layer in range(2):
        for name, shape in shapes.items():
            model.weights[f"blk.{layer}.{name}"] = torch.randn(shape) / 8
        for name in ("attn_norm", "ffn_norm"):
            model.weights[f"blk.{layer}.{name}"] = torch.ones(64)
    model.lora, model.scale, model.merged = torch.nn.ParameterDict(), 1.0, None
    return model


def scores(model, ids, adapt):
    tokens = torch.tensor([ids])
    return model.logits(model.hidden(tokens, torch.arange(len(ids)).unsqueeze(0), adapt))[0]


class TheModel(unittest.TestCase):
    def test_generation_with_a_cache_gives_what_a_full_pass_gives(self):
        model = tiny()
        prompts = [[1, 2, 3, 4, 5], [7, 8], [9, 10, 11]]
        for prompt, made in zip(prompts, generate(model, prompts, None, 6, END)):
            ids = list(prompt)
            for token in made:
                self.assertEqual(scores(model, ids, None)[-1].argmax().item(), token)
                ids.append(token)

    def test_later_tokens_do_not_change_earlier_scores(self):
        model = tiny()
        self.assertTrue(
            torch.allclose(
                scores(model, [1, 2, 3], None), scores(model, [1, 2, 3, 4, 5], None)[:3], atol=1e-5
            )
        )

    def test_a_fresh_adapter_changes_nothing_and_a_trained_one_does(self):
        model = tiny()
        model.add_adapter(32, 32, seed=1)
        self.assertTrue(
            torch.allclose(scores(model, [1, 2], None), scores(model, [1, 2], "train"), atol=1e-5)
        )
        model.lora["0_attn_q_b"].data.normal_()
        self.assertFalse(
            torch.allclose(scores(model, [1, 2], None), scores(model, [1, 2], "train"), atol=1e-3)
        )

    def test_merged_weights_score_as_the_adapter_beside_them(self):
        model = tiny()
        model.add_adapter(32, 64, seed=1)
        for name, value in model.lora.items():
            if name.endswith("_b"):
                value.data.normal_(std=0.02)
        model.merge()
        self.assertTrue(
            torch.allclose(scores(model, [1, 2, 3], "merged"), scores(model, [1, 2, 3], "train"), atol=1e-3)
        )

    def test_an_adapter_survives_its_file(self):
        model = tiny()
        model.add_adapter(32, 64, seed=1)
        for value in model.lora.values():
            value.data.normal_(std=0.02)
        before = scores(model, [1, 2, 3], "train")
        with tempfile.TemporaryDirectory() as folder:
            base, path = os.path.join(folder, "base"), os.path.join(folder, "a.gguf")
            with open(base, "wb") as file:
                file.write(b"base")
            adapter.save(model, path, 64, base, "test")
            adapter.load(model, path)
        self.assertEqual(model.scale, 2.0)
        self.assertTrue(torch.allclose(before, scores(model, [1, 2, 3], "train"), atol=0.05))


if __name__ == "__main__":
    unittest.main()
