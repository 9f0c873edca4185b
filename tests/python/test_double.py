"""Official SDKs as judges of the provider double: what they accept is what providers send.

HOLM_DOUBLE names the double's address. It answers by the model's name; see `rehearsed` in holm-testkit.
"""

import json
import os
import unittest

import anthropic
import openai

ADDRESS = os.environ["HOLM_DOUBLE"]
HELLO = "Hello, wörld ✓ 🚀"
ASK = [{"role": "user", "content": "hi"}]
WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"type": "string"}},
    "required": ["city"],
}


def cities(arguments):
    return [json.loads(text)["city"] for text in arguments]


class Chat(unittest.TestCase):
    """OpenAI Chat Completions."""

    tools = [{"type": "function", "function": {"name": "weather", "parameters": WEATHER}}]

    def setUp(self):
        self.client = openai.OpenAI(base_url=ADDRESS + "/v1", api_key="test", max_retries=0, timeout=20)
        self.addCleanup(self.client.close)

    def create(self, model, **more):
        return self.client.chat.completions.create(model=model, messages=ASK, **more)

    def test_whole(self):
        reply = self.create("hello")
        choice = reply.choices[0]
        self.assertEqual((choice.message.content, choice.finish_reason), (HELLO, "stop"))
        self.assertEqual((reply.usage.prompt_tokens, reply.usage.completion_tokens), (11, 5))
        self.assertEqual((reply.model, choice.message.role, reply.object), ("hello", "assistant", "chat.completion"))
        self.assertTrue(reply._request_id.startswith("req-double-"))

    def test_stream(self):
        for model in ("hello", "drip"):
            text, finish, usage = "", None, None
            for chunk in self.create(model, stream=True, stream_options={"include_usage": True}):
                usage = chunk.usage or usage
                for choice in chunk.choices:
                    text += choice.delta.content or ""
                    finish = choice.finish_reason or finish
            self.assertEqual((text, finish, usage.total_tokens), (HELLO, "stop", 16), model)

    def test_stream_helper(self):
        with self.client.chat.completions.stream(model="tools", messages=ASK, tools=self.tools) as stream:
            for _ in stream:
                pass
            calls = stream.get_final_completion().choices[0].message.tool_calls
        self.assertEqual(cities(call.function.arguments for call in calls), ["Köln", "Rome"])

    def test_tools_and_their_results(self):
        choice = self.create("tools", tools=self.tools).choices[0]
        calls = choice.message.tool_calls
        self.assertEqual(choice.finish_reason, "tool_calls")
        self.assertEqual([call.id for call in calls], ["call_1", "call_2"])
        self.assertEqual(cities(call.function.arguments for call in calls), ["Köln", "Rome"])
        results = [{"role": "tool", "tool_call_id": call.id, "content": "18"} for call in calls]
        messages = ASK + [choice.message.model_dump(exclude_none=True)] + results
        reply = self.client.chat.completions.create(model="tools", messages=messages, tools=self.tools)
        self.assertEqual(reply.choices[0].message.content, "18 and 21 degrees")

    def test_figures(self):
        usage = self.create("cached").usage
        self.assertEqual((usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens), (100, 80))
        self.assertEqual(self.create("cut").choices[0].finish_reason, "length")

    def test_errors(self):
        for model, error in (
            ("limited", openai.RateLimitError),
            ("overloaded", openai.InternalServerError),
            ("broken", openai.InternalServerError),
            ("denied", openai.AuthenticationError),
            ("too-long", openai.BadRequestError),
        ):
            for stream in (False, True):
                with self.assertRaises(error, msg=model):
                    self.create(model, stream=stream)
        try:
            self.create("too-long")
        except openai.BadRequestError as error:
            self.assertEqual(error.code, "context_length_exceeded")

    def test_errors_within_a_stream(self):
        with self.assertRaises(openai.APIError) as raised:
            list(self.create("stream-error", stream=True))
        self.assertIn("Overloaded", str(raised.exception))
        with self.assertRaises(Exception):
            list(self.create("truncated", stream=True))

    def test_models(self):
        self.assertEqual([model.id for model in self.client.models.list()], ["double-one", "double-two"])


class Responses(unittest.TestCase):
    """OpenAI Responses."""

    tools = [{"type": "function", "name": "weather", "parameters": WEATHER, "strict": False}]

    def setUp(self):
        self.client = openai.OpenAI(base_url=ADDRESS + "/v1", api_key="test", max_retries=0, timeout=20)
        self.addCleanup(self.client.close)

    def create(self, model, **more):
        return self.client.responses.create(model=model, input="hi", **more)

    def test_whole(self):
        reply = self.create("hello")
        self.assertEqual((reply.output_text, reply.status), (HELLO, "completed"))
        self.assertEqual((reply.usage.input_tokens, reply.usage.output_tokens), (11, 5))

    def test_stream(self):
        for model in ("hello", "drip", "thinking"):
            text, last, numbers = "", None, []
            for event in self.create(model, stream=True):
                if event.type == "response.output_text.delta":
                    text += event.delta
                numbers.append(event.sequence_number)
                last = event
            self.assertEqual((text, last.type, last.response.output_text), (HELLO, "response.completed", HELLO), model)
            self.assertEqual(numbers, sorted(set(numbers)), "the numbers grow")

    def test_stream_helper(self):
        with self.client.responses.stream(model="tools", input="hi", tools=self.tools) as stream:
            for _ in stream:
                pass
            reply = stream.get_final_response()
        calls = [item for item in reply.output if item.type == "function_call"]
        self.assertEqual(cities(call.arguments for call in calls), ["Köln", "Rome"])

    def test_tools_and_their_results(self):
        reply = self.create("tools", tools=self.tools)
        calls = [item for item in reply.output if item.type == "function_call"]
        self.assertEqual(cities(call.arguments for call in calls), ["Köln", "Rome"])
        items = ASK + [call.model_dump(exclude_none=True) for call in calls]
        items += [{"type": "function_call_output", "call_id": call.call_id, "output": "18"} for call in calls]
        reply = self.client.responses.create(model="tools", input=items, tools=self.tools)
        self.assertEqual(reply.output_text, "18 and 21 degrees")

    def test_figures(self):
        self.assertEqual(self.create("cached").usage.input_tokens_details.cached_tokens, 80)
        reply = self.create("cut")
        self.assertEqual((reply.status, reply.incomplete_details.reason), ("incomplete", "max_output_tokens"))

    def test_errors(self):
        for model, error in (("limited", openai.RateLimitError), ("denied", openai.AuthenticationError)):
            with self.assertRaises(error, msg=model):
                self.create(model)
        events = []
        try:
            for event in self.create("stream-error", stream=True):
                events.append(event.type)
        except openai.APIError:
            events.append("error")
        self.assertIn(events[-1], ("error", "response.failed"))


class Messages(unittest.TestCase):
    """Anthropic Messages."""

    tools = [{"name": "weather", "description": "The weather.", "input_schema": WEATHER}]

    def setUp(self):
        self.client = anthropic.Anthropic(base_url=ADDRESS, api_key="test", max_retries=0, timeout=20)
        self.addCleanup(self.client.close)

    def create(self, model, **more):
        return self.client.messages.create(model=model, max_tokens=100, messages=ASK, **more)

    def test_whole(self):
        reply = self.create("hello")
        self.assertEqual((reply.content[0].text, reply.stop_reason), (HELLO, "end_turn"))
        self.assertEqual((reply.usage.input_tokens, reply.usage.output_tokens), (11, 5))
        self.assertEqual((reply.type, reply.role, reply.model), ("message", "assistant", "hello"))
        self.assertTrue(reply._request_id.startswith("req-double-"))

    def test_stream(self):
        for model in ("hello", "drip", "thinking"):
            with self.client.messages.stream(model=model, max_tokens=100, messages=ASK) as stream:
                text = "".join(stream.text_stream)
                message = stream.get_final_message()
            self.assertEqual((text, message.stop_reason), (HELLO, "end_turn"), model)
            self.assertEqual(message.usage.output_tokens, 5)
            if model == "thinking":
                self.assertEqual(message.content[0].thinking, "Let me see.")

    def test_raw_stream(self):
        kinds = [event.type for event in self.create("hello", stream=True)]
        self.assertEqual((kinds[0], kinds[-1]), ("message_start", "message_stop"))

    def test_tools_and_their_results(self):
        for stream in (False, True):
            if stream:
                asked = self.client.messages.stream(model="tools", max_tokens=100, messages=ASK, tools=self.tools)
                with asked as events:
                    reply = events.get_final_message()
            else:
                reply = self.create("tools", tools=self.tools)
            self.assertEqual(reply.stop_reason, "tool_use")
            self.assertEqual([block.input["city"] for block in reply.content], ["Köln", "Rome"])
        results = [{"type": "tool_result", "tool_use_id": block.id, "content": "18"} for block in reply.content]
        messages = ASK + [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]
        reply = self.client.messages.create(model="tools", max_tokens=100, messages=messages, tools=self.tools)
        self.assertEqual(reply.content[0].text, "18 and 21 degrees")

    def test_figures(self):
        usage = self.create("cached").usage
        self.assertEqual((usage.input_tokens, usage.cache_read_input_tokens), (20, 80))
        self.assertEqual(self.create("cut").stop_reason, "max_tokens")

    def test_errors(self):
        for model, error in (
            ("limited", anthropic.RateLimitError),
            ("overloaded", anthropic.InternalServerError),
            ("broken", anthropic.InternalServerError),
            ("denied", anthropic.AuthenticationError),
            ("too-long", anthropic.BadRequestError),
        ):
            for stream in (False, True):
                with self.assertRaises(error, msg=model) as raised:
                    self.create(model, stream=stream)
                self.assertIn("error", raised.exception.body)

    def test_errors_within_a_stream(self):
        with self.assertRaises(anthropic.APIStatusError) as raised:
            list(self.create("stream-error", stream=True))
        self.assertIn("Overloaded", str(raised.exception))
        with self.assertRaises(Exception):
            list(self.create("truncated", stream=True))

    def test_models(self):
        self.assertEqual([model.id for model in self.client.models.list()], ["double-one", "double-two"])


if __name__ == "__main__":
    unittest.main()
