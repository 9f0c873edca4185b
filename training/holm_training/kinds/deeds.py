"""Deeds: many verbs on many things with many sorts of detail, so that a tool that nobody has seen before is still read."""

from .. import words
from ..kind import Kind, slot
from ..prng import Rng

VERBS = """polish,shine,buff|repair,fix,mend|rent,hire,lease|weigh|paint|measure|wrap,pack|dry|cool,chill|heat,warm up|sharpen|rotate,spin|fold|sell|donate,give away|lend,loan|insure|
inspect,examine,look over|photograph|test,try out|charge,recharge|calibrate,adjust|clean,wash|recycle|hide|ship,dispatch|open,unlock|close,shut|start,switch on,activate|
stop,switch off,deactivate|pause|rate,grade|film,record|reserve,book|renew,extend|upgrade,improve|assemble,put together|dismantle,take apart|replace,swap|decorate|illuminate|
stack,pile up|track,follow|locate,find|appraise,value|auction|tow|park|refuel,fill up|tune|stretch|crush|melt|shake,stir|slice,cut|sew,stitch|iron|dye|glue|drill|weld|order,buy|
return,send back|unpack|lift,raise|lower,let down|move,shift|compare|draw,sketch|describe|name,christen|number|hang up|inflate,pump up|empty|varnish|engrave|ventilate|
disinfect|collect,pick up|deliver,bring|hand in|display,exhibit|store,put away|borrow""".replace(
    "\n", ""
).split(
    "|"
)
DETAILS = [
    ("room:room", " in the {room}", " in a room"),
    ("person:person", " for {person}", " for a person"),
    ("day:day", " {day}", " on a day"),
    ("color:color", " in {color}", " in a colour"),
    ("id:code", " number {id}", " by its number"),
    ("n:small=times,count,n", " {n} times", " several times"),
    ("at:clock", " at {at}", " at a time"),
    ("to:city=city,to,place", " in {to}", " in a city"),
    ("how:duration", " for {how}", " for some time"),
    ("amount:money", " for {amount} euros", " at a price"),
    ("level:percent", " to {level} percent", " to a percentage"),
    ("label:title", " called {label}", " by name"),
    ("file:path", " and note it in {file}", " and notes it in a file"),
    ("mail:email", " and tell {mail}", " and tells somebody by mail"),
    ("where:address", " at {where}", " at an address"),
    ("date:date", " on {date}", " on a date"),
    ("team:team", " with the {team} team", " with a team"),
    ("url:url", " as shown on {url}", " as shown on a page"),
]
EACH = 12
"""Verbs that each thing is crossed with."""


def kinds():
    """Some deeds for every thing; every seventh thing and verb is kept for the evaluation."""
    out = []
    for at, thing in enumerate(dict.fromkeys(words.THINGS)):
        rng = Rng.named("deeds", thing)
        for number in sorted(rng.sample(range(len(VERBS)), EACH)):
            out.append(_deed(thing, VERBS[number].split(","), rng, at % 7 == 3 or number % 7 == 3))
    return out


def third(verb):
    """`polish` to `polishes`, `carry out` to `carries out`."""
    first, _, rest = verb.partition(" ")
    if first.endswith(("s", "sh", "ch", "x", "z")):
        first += "es"
    elif first.endswith("y") and first[-2] not in "aeiou":
        first = first[:-1] + "ies"
    else:
        first += "s"
    return f"{first} {rest}".strip()


def _deed(thing, verbs, rng, held):
    count = rng.weighted([(0, 1), (1, 4), (2, 4), (3, 1)])
    details = rng.sample(DETAILS, count)
    slots, tail, said = [], "", ""
    for index, (spec, ask, description) in enumerate(details):
        needed = index == 0 or rng.chance(0.5)
        slots.append(slot(spec if needed else spec.replace(":", "?:", 1)))
        tail += ask if needed else f"[{ask}]"
        said += description if rng.chance(0.6) else ""
    article = "an" if thing[0] in "aeiou" else "a"
    asks = [f"{verb} {which} {thing}{tail}" for verb in verbs for which in ("the", "my", article, "our")]
    asks += [f"the {thing} is waiting, {verbs[0]} it{tail}", f"I want to {verbs[-1]} the {thing}{tail}"]
    descriptions = [
        f"{third(verbs[0]).capitalize()} {article} {thing}{said}.",
        f"Lets one {verbs[-1]} {article} {thing}{said}.",
        f"{thing.capitalize()}: {verbs[0]} it{said}.",
        f"To {verbs[len(verbs) // 2]} the {thing}{said}.",
    ]
    joined = verbs[0].replace(" ", "_")
    names = (f"{joined}_{thing}", f"{verbs[-1].replace(' ', '_')}_{thing}", f"{thing}_{joined}")
    return Kind(
        id=f"deed_{joined}_{thing}",
        domain="deeds",
        names=names,
        descriptions=tuple(descriptions),
        slots=tuple(slots),
        asks=tuple(asks),
        entity=f"deed {thing}" + (" held" if held else ""),
        op=f"deed {joined}",
    )


def is_held(kind):
    return kind.domain == "deeds" and kind.entity.endswith(" held")
