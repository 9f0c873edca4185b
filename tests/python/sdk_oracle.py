"""Official SDKs as judges of Holm's decoders: both are given the same bytes and must read the same reply.

The file that is named first holds streams, each with what Holm read in it, and how often to read. Each stream is read whole, byte by
byte and at cuts drawn by lot. `crates/holm-models/tests/sdk/oracle.rs` writes the file; `sdk_differences.py` says where the two
differ and why.
"""

import base64
import json
import random
import sys
import warnings

import anthropic
import httpx2
import openai

from sdk_differences import DIFFERENCES

ASK = [{"role": "user", "content": "hi"}]
SEED = 1
# The most cuts that are drawn for one reading.
MOST_CUTS = 12
# The most differences that are told; one is seldom alone.
MOST_TOLD = 10


class Pieces(httpx2.SyncByteStream):
    """A body that arrives in pieces."""

    def __init__(self, pieces):
        self.pieces = pieces

    def __iter__(self):
        return iter(self.pieces)


class Wire:
    """A transport without a network: every request is answered with the body that was laid on."""

    def __init__(self):
        self.pieces = []
        self.kind = ""

    def client(self):
        return httpx2.Client(transport=httpx2.MockTransport(self.answer))

    def answer(self, _request):
        return httpx2.Response(200, headers={"content-type": self.kind}, stream=Pieces(self.pieces))


class Chat:
    """OpenAI Chat Completions."""

    arguments = staticmethod(str)
    stops = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "content_filter"}

    def __init__(self, wire):
        self.client = openai.OpenAI(api_key="test", max_retries=0, http_client=wire.client())

    def streamed(self):
        with self.client.chat.completions.stream(model="any", messages=ASK) as stream:
            stream.until_done()
            return self.told(stream.current_completion_snapshot)

    def whole(self):
        return self.told(self.client.chat.completions.create(model="any", messages=ASK))

    def told(self, completion):
        choice = completion.choices[0]
        message = choice.message
        refusal = message.refusal or ""
        return {
            "text": (message.content or "") + refusal,
            # Not OpenAI's own, but everybody's; the SDK keeps what it does not know.
            "thinking": (message.model_extra or {}).get("reasoning_content") or "",
            "calls": [[call.id, call.function.name, call.function.arguments] for call in message.tool_calls or []],
            "stop": "refusal" if refusal else self.stops.get(choice.finish_reason, choice.finish_reason),
            "usage": self.usage(completion.usage),
        }

    def usage(self, usage):
        if usage is None:
            return counts()
        read, made = usage.prompt_tokens_details, usage.completion_tokens_details
        return counts(
            usage.prompt_tokens,
            usage.completion_tokens,
            cached=read and read.cached_tokens,
            reasoning=made and made.reasoning_tokens,
        )


class Responses:
    """OpenAI Responses."""

    arguments = staticmethod(str)
    incomplete = {"max_output_tokens": "max_tokens", "content_filter": "content_filter"}
    thoughts = {"response.reasoning_summary_text.delta": "summary_index", "response.reasoning_text.delta": "content_index"}

    def __init__(self, wire):
        self.client = openai.OpenAI(api_key="test", max_retries=0, http_client=wire.client())

    def streamed(self):
        text, refusal, thoughts, pieces, calls, last = "", "", {}, {}, [], None
        with self.client.responses.stream(model="any", input="hi") as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    text += event.delta
                elif event.type == "response.refusal.delta":
                    refusal += event.delta
                elif event.type in self.thoughts:
                    part = (event.type, getattr(event, self.thoughts[event.type]))
                    parts = thoughts.setdefault(event.output_index, {})
                    parts[part] = parts.get(part, "") + event.delta
                elif event.type == "response.function_call_arguments.delta":
                    pieces[event.output_index] = pieces.get(event.output_index, "") + event.delta
                elif event.type == "response.output_item.done" and event.item.type == "function_call":
                    call = event.item
                    calls.append([call.call_id, call.name, pieces.get(event.output_index, call.arguments)])
                last = event
        if last.type == "response.failed":
            return {"failure": last.response.error.message}
        told = self.told(last.response, text, refusal, [list(parts.values()) for parts in thoughts.values()], calls)
        # The sum that the service sends at the end, where it sends one, says the same as the pieces.
        if last.response.output and self.sum(last.response) != told:
            raise AssertionError(f"the pieces {told} are not the sum {self.sum(last.response)}")
        return told

    def whole(self):
        return self.sum(self.client.responses.create(model="any", input="hi"))

    def sum(self, response):
        parts = [part for item in response.output if item.type == "message" for part in item.content]
        text = "".join(part.text for part in parts if part.type == "output_text")
        refusal = "".join(part.refusal for part in parts if part.type == "refusal")
        thoughts = [item.summary + (item.content or []) for item in response.output if item.type == "reasoning"]
        calls = [item for item in response.output if item.type == "function_call"]
        calls = [[call.call_id, call.name, call.arguments] for call in calls]
        return self.told(response, text, refusal, [[part.text for part in parts] for parts in thoughts], calls)

    def told(self, response, text, refusal, thoughts, calls):
        usage = response.usage
        read, made = usage.input_tokens_details, usage.output_tokens_details
        stop = "tool_use" if calls else "end_turn"
        if refusal:
            stop = "refusal"
        if response.incomplete_details:
            stop = self.incomplete[response.incomplete_details.reason]
        return {
            "text": text + refusal,
            "thinking": "".join("\n\n".join(parts) for parts in thoughts),
            "calls": calls,
            "stop": stop,
            "usage": counts(
                usage.input_tokens,
                usage.output_tokens,
                cached=read and read.cached_tokens,
                reasoning=made and made.reasoning_tokens,
            ),
        }


class Messages:
    """Anthropic Messages."""

    # The SDK hands out what the text of the arguments means.
    arguments = staticmethod(json.loads)

    def __init__(self, wire):
        self.client = anthropic.Anthropic(api_key="test", max_retries=0, http_client=wire.client())

    def streamed(self):
        with self.client.messages.stream(model="any", max_tokens=100, messages=ASK) as stream:
            return self.told(stream.get_final_message())

    def whole(self):
        return self.told(self.client.messages.create(model="any", max_tokens=100, messages=ASK))

    def told(self, message):
        blocks = message.content
        usage = message.usage
        written, read = usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
        return {
            "text": "".join(block.text for block in blocks if block.type == "text"),
            "thinking": "".join(block.thinking for block in blocks if block.type == "thinking"),
            "calls": [[block.id, block.name, block.input] for block in blocks if block.type == "tool_use"],
            "stop": message.stop_reason,
            # Cached tokens are not part of `input_tokens` here.
            "usage": counts(usage.input_tokens + written + read, usage.output_tokens, read, written),
        }


def counts(read=0, made=0, cached=0, cache_write=0, reasoning=0):
    """Tokens by Holm's names; what an SDK does not know is none."""
    counted = {"input": read, "output": made, "cached": cached, "cache_write": cache_write, "reasoning": reasoning}
    return {name: count or 0 for name, count in counted.items()}


FORMATS = {"openai_chat": Chat, "openai_responses": Responses, "anthropic": Messages}


class Oracle:
    """What the SDKs read, held against what Holm read."""

    def __init__(self):
        self.wire = Wire()
        self.readers = {name: reader(self.wire) for name, reader in FORMATS.items()}
        self.decodes = 0
        self.found = []

    def read(self, stream, cuts):
        """Reads a stream once more, cut at these places, and notes what is not as it must be."""
        self.decodes += 1
        edges = [0, *cuts, len(stream.body)]
        self.wire.pieces = [stream.body[start:end] for start, end in zip(edges, edges[1:])]
        self.wire.kind = "application/json" if stream.whole else "text/event-stream"
        reader = self.readers[stream.format]
        seen = attempt(reader.whole if stream.whole else reader.streamed)
        if seen != stream.expected:
            self.found.append(f"{stream.name}, {manner(cuts)}: {unlike(seen, stream.expected)}")


def manner(cuts):
    if not cuts:
        return "whole"
    return f"cut at {cuts}" if len(cuts) <= MOST_CUTS else "byte by byte"


def unlike(seen, expected):
    """The members that are not as they must be."""
    members = [member for member in {**expected, **seen} if seen.get(member) != expected.get(member)]
    return "; ".join(f"{member} is {seen.get(member)!r}, not {expected.get(member)!r}" for member in members)


def attempt(read):
    """What was read, or the failure that the provider told of."""
    try:
        return read()
    except openai.APIError as error:
        return {"failure": error.message}
    except anthropic.APIStatusError as error:
        return {"failure": error.body["error"]["message"]}
    except Exception as error:  # What an SDK cannot read is a difference, and the others are still wanted.
        return {"raised": repr(error)}


class Stream:
    """Bytes, and what an SDK must read in them: what Holm did, but for what is known to differ."""

    def __init__(self, sample):
        self.name = sample["name"]
        self.format = sample["format"]
        self.whole = sample["whole"]
        self.body = base64.b64decode(sample["bytes"])
        self.expected = self.holm(sample["told"])
        for known in DIFFERENCES:
            if known["stream"] == self.name:
                self.differ(known["sdk"])

    def holm(self, told):
        """What Holm told, as the SDK of the format would say it."""
        if "reply" not in told:
            return told
        reply = told["reply"]
        meaning = FORMATS[self.format].arguments
        calls = [[call, name, meaning(arguments)] for call, name, arguments in reply["calls"]]
        return {**reply, "calls": calls, "usage": {**counts(), **reply["usage"]}}

    def differ(self, sdk):
        same = [member for member, value in sdk.items() if self.expected.get(member) == value]
        if same:
            raise SystemExit(f"{self.name}: {same} no longer differs; take it out of sdk_differences.py")
        self.expected.update(sdk)


def main(path):
    # Recorded streams hold what the SDKs' own types forbid; that they say so is no finding.
    warnings.filterwarnings("ignore", module="pydantic")
    with open(path, encoding="utf-8") as file:
        task = json.load(file)
    streams = [Stream(sample) for sample in task["streams"]]
    gone = {known["stream"] for known in DIFFERENCES} - {stream.name for stream in streams}
    if gone:
        raise SystemExit(f"sdk_differences.py names streams that are not there: {sorted(gone)}")
    oracle = Oracle()
    for stream in streams:
        oracle.read(stream, [])
        oracle.read(stream, range(1, len(stream.body)))
    lot = random.Random(SEED)
    while oracle.decodes < task["decodes"]:
        stream = streams[oracle.decodes % len(streams)]
        oracle.read(stream, sorted(lot.sample(range(1, len(stream.body)), lot.randint(1, MOST_CUTS))))
    for difference in oracle.found[:MOST_TOLD]:
        print(difference, file=sys.stderr)
    formats = len({stream.format for stream in streams})
    print(
        f"RESULT wire.sdks decodes={oracle.decodes} streams={len(streams)} formats={formats}"
        f" differences={len(oracle.found)} known={len(DIFFERENCES)}"
    )
    return 1 if oracle.found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
