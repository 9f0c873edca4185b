"""Turns an ask into what people really type: politeness, haste, context, typos, missing capitals."""

import re

OPEN_ORDER = """please {x}|can you {x}?|could you {x}|could you please {x}?|would you {x}?|{x} please|{x}, thanks|I want you to {x}|I need you to {x}|go ahead and {x}|
hey, {x}|hi! {x}|hello, {x}|ok, {x}|now {x}|next, {x}|quick one: {x}|one more thing: {x}|help me {x}|I would like you to {x}|kindly {x}|be so kind and {x}|
your task: {x}|task: {x}|first {x}|it would be great if you could {x}|just {x}|so, {x}|{x} for me|{x} right away|{x} asap|{x} when you have a moment|
do me a favour and {x}|time to {x}|we should {x}|{x}!|{x}, it is urgent|I'd appreciate it if you {x}|yo {x}|{x} pls|pls {x}|{x} now|can u {x}""".replace(
    "\n", ""
).split(
    "|"
)
OPEN_ORDER += """I was told that you can {x}|any chance you could {x}?|would you be able to {x}?|somebody has to {x}|I have to {x}, can you?|what I need: {x}|to do: {x}|since you are here, {x}|
before I forget: {x}|when you get a chance, {x}|my request is to {x}|the idea is to {x}|could someone {x}?|I was hoping you could {x}|next thing: {x}|{x}, would you?|can you help and {x}?|
please help me to {x}|go and {x}|make sure to {x}|don't forget to {x}|I'd like to {x}|we need to {x}|let's {x}|you should {x}|it is time to {x}|try to {x}|ok so {x}|hmm, {x}|{x} - can you do that?|
how about you {x}|I'm trying to {x}|all I want is to {x}|is it possible to {x}?|are you able to {x}?|feel free to {x}|{x}. That is all|good day, {x}|hey holm, {x}|dear assistant, {x}""".replace(
    "\n", ""
).split(
    "|"
)
FRESH_OPEN_ORDER = """would you mind and {x}?|may I ask you to {x}?|if possible, {x}|{x}, if you would|I'm asking you to {x}|let us {x}|{x}, thank you so much|
my wish: {x}|be a dear and {x}|would it be possible to {x}?|listen, {x}|{x} as soon as you can|alright: {x}|here is what I need: {x}""".replace(
    "\n", ""
).split(
    "|"
)
OPEN_QUESTION = """{x}|quick question: {x}|hey, {x}|hi, {x}|tell me: {x}|I was wondering: {x}|do you know, {x}|sorry to bother you, {x}|one question, {x}|so {x}|
excuse me, {x}|I need to know: {x}|question: {x}|ok and {x}|please tell me, {x}|I forgot: {x}|just curious, {x}|hello! {x}|{x} thanks|{x} please|
can you find out: {x}|and {x}|well, {x}|can you tell me: {x}|{x} I have no idea|um, {x}""".replace(
    "\n", ""
).split(
    "|"
)
OPEN_QUESTION += """what I want to know: {x}|hm, {x}|another question: {x}|can you check: {x}|could you look up: {x}|my colleague wants to know: {x}|be honest, {x}|for my notes: {x}|
while we are at it, {x}|do tell: {x}|any chance you know {x}|could you find out {x}|I can't remember: {x}|seriously, {x}|ok, {x}|first of all, {x}|please answer: {x}|let me ask: {x}|it's important: {x}|
{x} I'd like to know|{x} Thanks in advance|hey holm, {x}""".replace(
    "\n", ""
).split(
    "|"
)
FRESH_OPEN_QUESTION = """pardon me, {x}|may I ask: {x}|I would love to know: {x}|somebody asked me: {x}|listen, {x}|{x} Any idea?|out of interest: {x}|
answer me this: {x}|I keep asking myself: {x}|my question is: {x}|I should know it, but {x}|{x} thank you kindly""".replace(
    "\n", ""
).split(
    "|"
)
CONTEXT = """I am in a hurry.|My manager asked for this.|The meeting starts soon.|We are preparing the yearly review.|I am new here.|This is for a colleague.|
I am on the train.|I lost my overview.|It is late already.|I just came back from lunch.|We talked about it this morning.|I am a bit stressed.|Everybody is waiting.|
I am cleaning up.|It is my last task for now.|My phone is almost dead.|I promised to do it.|The customer is on the phone.|We have visitors.|I could not sleep.|
I hope this is not too much.|Good morning!|Good evening!|Long day.|I tried it myself and failed.|It matters a lot.|No rush.|I am working from home.""".replace(
    "\n", ""
).split(
    "|"
)
CONTEXT += """I have no time for this myself.|It is raining here.|The kids are asleep.|My screen is tiny.|Somebody is at the door.|It came up in the call.|I read about it yesterday.|
We do this every month.|The old way was slower.|I am not sure how this works.|Let me know how it goes.|It does not have to be perfect.|This is the third time today.|I have a headache.|
My colleague is ill.|The boss wants it soon.|I should have done this last week.|We are a small team.|It is for the archive.|I am just testing you.|Coffee first.|Sorry for the short notice.|
I do not care how.|The others have left already.|You did well last time.|I have just moved to another desk.|That would help me a lot.|My hands are full.""".replace(
    "\n", ""
).split(
    "|"
)
FRESH_CONTEXT = """The auditors are here.|I spilled coffee on my keys.|This is embarrassing.|My boss is looking over my shoulder.|We just moved in.|
I am typing with one hand.|The deadline is close.|Nice to meet you.|Sorry, me again.|The boat is about to leave.""".replace(
    "\n", ""
).split(
    "|"
)
QUESTION = re.compile(
    r"^(what|which|how|is|are|do|does|when|where|who|will|can|could|should|did|am|any|was|were|has|have|may|until|at what|on which|in what)\b",
    re.I,
)
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
SHAPE = re.compile(r"(\{\w+\})")


def word(ask, draw, rng, held, foreign=False):
    """One request in somebody's words."""
    ask = _bracketed(ask, draw)
    if not foreign:
        ask = _open(ask, rng, held)
    if rng.chance(0.16):
        ask = _typos(ask, rng)
    ask = _case(ask, rng)
    if not foreign and rng.chance(0.13):
        context = rng.pick(FRESH_CONTEXT if held else CONTEXT)
        ask = f"{context} {ask}" if rng.chance(0.7) else f"{ask.rstrip()} {context}"
    return _fill(_quotes(ask, draw, rng), draw, rng)


def _bracketed(ask, draw):
    from .kind import OPTIONAL, PLACE

    def bracket(found):
        roles = [role for role, _ in PLACE.findall(found[1])]
        return found[1] if all(role in draw.values for role in roles) else (found[2] or "")

    return OPTIONAL.sub(bracket, ask)


def _open(ask, rng, held):
    if not rng.chance(0.62):
        return ask
    question = ask.endswith("?") or QUESTION.match(ask)
    if question:
        frame = rng.pick(FRESH_OPEN_QUESTION if held else OPEN_QUESTION)
    elif ask.startswith("{") or ":" in ask.split("{")[0]:
        return ask
    else:
        frame = rng.pick(FRESH_OPEN_ORDER if held else OPEN_ORDER)
    if frame.startswith("{x}") and len(frame) > 3 and ask.endswith("?") and frame[3] != " ":
        return ask
    return frame.replace("{x}", ask)


def _typos(ask, rng):
    """One or two slips of the finger, never inside a value."""
    parts = SHAPE.split(ask)
    places = [
        (i, found.start(), found.end())
        for i, part in enumerate(parts)
        if not part.startswith("{")
        for found in re.finditer(r"[a-z]{4,}", part)
    ]
    for i, start, end in sorted(rng.sample(places, rng.between(1, 2)), reverse=True):
        text = parts[i]
        at = rng.between(start, end - 2)
        slip = rng.below(3)
        if slip == 0:
            text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        elif slip == 1:
            text = text[:at] + text[at + 1 :]
        else:
            text = text[:at] + text[at] + text[at:]
        parts[i] = text
    return "".join(parts)


def _case(ask, rng):
    style = rng.below(10)
    if style < 5 and not ask.startswith("{"):
        ask = ask[0].upper() + ask[1:]
        if not ask.endswith(("?", "!", ".", ":", "}")):
            ask += rng.pick([".", ".", ""])
    elif style == 5:
        ask = ask.rstrip("?.!")
    elif style == 6:
        ask = "".join(part if part.startswith("{") else part.lower() for part in SHAPE.split(ask))
    return ask


def _quotes(ask, draw, rng):
    if '"' not in ask or any("'" in str(value) for value in draw.values.values()):
        return ask
    left, right = rng.weighted(
        [(('"', '"'), 6), (("'", "'"), 2), (("\u201c", "\u201d"), 1), (("\u00ab", "\u00bb"), 1)]
    )
    out, opened = "", False
    for char in ask:
        if char == '"':
            out += right if opened else left
            opened = not opened
        else:
            out += char
    return out


def _fill(ask, draw, rng):
    def value(found):
        drawn = draw.values[found[1][1:-1]]
        if isinstance(drawn, int) and 1 < drawn < len(NUMBERS) and rng.chance(0.12):
            return NUMBERS[drawn]
        return str(drawn)

    return SHAPE.sub(value, ask)


def nonsense(rng):
    """A word that means nothing, so that only the description tells what the tool does."""
    syllables = "ba be bi bo bu da de di do ga go ka ke ki ko la le li lo lu ma me mi mo na ne ni no nu pa pe po ra re ri ro sa se si so ta te ti to va ve vo wu xa ze zi zo qua tri blo fre gri plu sno".split()
    return "".join(rng.pick(syllables) for _ in range(rng.between(2, 3)))
