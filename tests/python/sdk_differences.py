"""Where Holm and an official SDK read the same bytes differently on purpose.

`sdk` is what the SDK reads instead, member by member, and is held as strictly as everything else: an entry that no longer differs, or
whose stream is gone, fails `sdk_oracle.py`.
"""

DIFFERENCES = [
    {
        "stream": "openai_chat/reused_index.sse",
        "reason": "A local server gives every call the index 0 and no id, and sends arguments as an object. The SDK joins the three"
        " calls into one that nobody can run; Holm tells them apart and names them.",
        "sdk": {
            "calls": [[None, "listlistread", '{"dir":"."}{"dir":"src"}']],
            # The server says `stop`; with calls, Holm calls it a stop for tools.
            "stop": "end_turn",
        },
    },
    {
        "stream": "openai_chat/reasoning.sse",
        "reason": "The service counts cached tokens under a name of its own, `prompt_cache_hit_tokens`, which the SDK does not know.",
        "sdk": {"usage": {"input": 14, "output": 9, "cached": 0, "cache_write": 0, "reasoning": 6}},
    },
    {
        "stream": "openai_responses/open_reasoning.sse",
        "reason": "The service has no ids for calls. A result could not be told from another's, so Holm takes the item's id.",
        "sdk": {"calls": [["", "list", '{"dir":"."}']]},
    },
]
