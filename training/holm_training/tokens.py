"""The tokenizer, built from the GGUF file, and episodes as tokens with the places that are learned."""

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from . import protocol

CONTROL = 3
"""GGUF's mark for tokens such as `<|im_start|>`."""


class Text:
    """Encodes and decodes as llama.cpp does for this file."""

    def __init__(self, path):
        from gguf import GGUFReader

        fields = GGUFReader(path).fields
        words = fields["tokenizer.ggml.tokens"].contents()
        kinds = fields["tokenizer.ggml.token_type"].contents()
        merges = [tuple(pair.split(" ")) for pair in fields["tokenizer.ggml.merges"].contents()]
        self.tokenizer = Tokenizer(
            models.BPE(vocab={word: at for at, word in enumerate(words)}, merges=merges)
        )
        self.tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
            ]
        )
        self.tokenizer.decoder = decoders.ByteLevel()
        self.start, self.end = words.index("<|im_start|>"), words.index("<|im_end|>")
        self.control = [word for word, kind in zip(words, kinds) if kind == CONTROL]
        self.words = words

    def encode(self, text):
        """Plain text: what looks like a control token in it stays plain."""
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, ids):
        return self.tokenizer.decode(ids, skip_special_tokens=False)

    def message(self, role, content):
        return [self.start] + self.encode(f"{role}\n{content}") + [self.end] + self.encode("\n")

    def episode(self, episode):
        """All tokens, and for each whether its prediction is learned: the replies and their ends."""
        ids, learn = [], []
        for role, content, learned in protocol.messages(episode):
            head = [self.start] + self.encode(f"{role}\n")
            body = self.encode(content) + [self.end]
            tail = self.encode("\n")
            ids += head + body + tail
            learn += [False] * len(head) + [learned] * len(body) + [False] * len(tail)
        return ids, learn

    def prompt(self, episode, upto):
        """Tokens before the reply at a turn."""
        cut = {**episode, "turns": episode["turns"][:upto]}
        ids = []
        for role, content, _ in protocol.messages(cut):
            ids += (
                [self.start]
                + self.encode(f"{role}\n")
                + self.encode(content)
                + [self.end]
                + self.encode("\n")
            )
        return ids + [self.start] + self.encode("assistant\n")
