"""What arguments and results are filled with: pools and compositions, each with a part kept for the evaluation."""

import re

from . import words
from .more_values import LESSONS

GIVEN = """Ada Amir Anna Arno Asha Bela Bruno Carla Chen Clara Dario Dina Edda Emil Enzo Fatima Felix Femi Greta Hana Hugo Ida Igor Imre Ines
Ivo Jana Jonas Jun Kaja Karim Kenji Klara Lars Leila Lena Linus Luca Mara Marek Mei Milan Mina Nadia Nico Nils Noor Olga Omar Otto Paula Pia
Priya Rafa Ravi Rosa Sami Sara Sven Tara Theo Timo Uma Vera Viktor Wanda Xenia Yara Yusuf Zoe""".split()
SUR_A = "Al Ber Cal Dor Eng Far Gol Hal Is Jor Kes Lind Mar Nov Ost Pel Quin Ros Sol Tor Ul Vas Wes Yal Zan".split()
SUR_B = "berg dal er ev in ini ka ke land lund man mann moto o os ova owski quist sen son stad stein ura well".split()
CITY = """Aachen Accra Athens Bergen Berlin Bern Bogota Boston Bremen Bruges Cairo Cardiff Chicago Cork Dakar Delhi Denver Dublin Essen Florence
Geneva Genoa Ghent Graz Hanoi Helsinki Istanbul Kyiv Kyoto Lagos Leipzig Lima Lisbon Ljubljana London Lyon Madrid Malmo Milan Montreal Mumbai
Munich Nairobi Naples Oslo Ottawa Palermo Paris Porto Prague Quito Reykjavik Riga Rome Salzburg Seoul Seville Sofia Stockholm Sydney Tallinn
Tokyo Toronto Trieste Tunis Turin Utrecht Vienna Vilnius Warsaw Zagreb Zurich""".split() + [
    "New York",
    "Cape Town",
    "San Jose",
    "Buenos Aires",
    "Hong Kong",
    "Den Haag",
]
COUNTRY = """Norway Chile Kenya Japan Portugal Finland Brazil Canada Egypt France Germany Greece India Ireland Italy Mexico Morocco Nepal Peru Poland
Spain Sweden Turkey Vietnam Iceland Austria""".split()
STEM = """notes report budget plan todo draft summary invoice letter agenda minutes config settings readme changes log data results survey recipe
diary essay thesis poem lyrics script index main app server client parser utils schema users orders prices stock routes menu inventory contacts
roadmap backup travel garden kitchen taxes salary holiday meeting interview lecture exam homework journal outline chapter review feedback
license manual guide tutorial setup install build release deploy metrics errors alerts events sensors weather traffic""".split()
EVAL_STEM = """ledger memo blueprint dossier itinerary payroll glossary appendix bulletin census digest excerpt festival harvest insurance
kernel lighthouse mortgage nursery orchard passport quarterly rehearsal shipment telescope uniforms vaccine warranty yearbook zoning""".split()
EXT = "txt md csv json log py rs js html yaml toml xml ini sql sh tex".split()
FOLDER = """docs src notes data tests work archive projects reports photos music invoices scripts assets public private old drafts letters team
finance legal school home shared incoming outgoing config logs build""".split()
EVAL_FOLDER = "vault cellar attic studio harbor meadow clinic depot annex quarry".split()
WORD = """apple river stone window garden paper bridge silver candle forest market winter summer engine letter mirror pocket rabbit saddle ticket
valley anchor basket cotton dragon feather guitar hammer island jacket kettle ladder magnet needle orange pencil quartz ribbon shadow tunnel
umbrella violin walnut yellow zipper error warning total deadline password customer payment discount stamp kitchen battery""".split()
EVAL_WORD = "lantern pebble compass thistle marble velvet orchid falcon glacier hickory juniper kestrel lagoon mosaic nectar".split()
TOPIC = """solar panels|electric cars|sleep|bread baking|chess openings|coral reefs|old maps|bicycle repair|wind power|bees|public transport|tea|
volcanoes|roman roads|night trains|sourdough|tax law|remote work|urban gardens|battery recycling|jazz|medieval castles|running shoes|whales|
ceramics|city parks|data privacy|folk music|glaciers|mushrooms|school lunches|sign language|tides|typography|vaccines|wool""".replace(
    "\n", ""
).split(
    "|"
)
TITLE = """weekly report|team lunch|budget review|dentist|launch plan|design sync|parents evening|yoga class|status call|flat inspection|car service|
book club|board meeting|music lesson|project kickoff|garden work|tax appointment|code review|farewell party|safety training|piano tuning|rent talk|
vet visit|sales pitch|moving day|exam prep|choir practice|hiring round|oil change|photo shoot|quarter close|neighbour dinner""".replace(
    "\n", ""
).split(
    "|"
)
SENTENCE = """the train is late|I will be there at noon|the meeting moved to Friday|please bring the keys|dinner is ready|the build is green again|
we need more paper|thanks for your help|the package has arrived|call me when you can|the door code changed|lunch is on me|the demo went well|
I cannot come today|see you at the station|the heating is broken|your book is here|all tests pass|we are out of milk|the contract is signed|
happy birthday|the room is booked|the printer is fixed|we start at nine|the cat is fine|bring warm clothes|the price went up|the boat leaves at six|
good luck tomorrow|the keys are under the mat|the report is almost done|the lights stayed on""".replace(
    "\n", ""
).split(
    "|"
)
PRODUCT = """desk lamp|office chair|coffee beans|rain jacket|running shoes|water bottle|phone case|notebook|headphones|backpack|toaster|garden hose|
paint brush|bike helmet|sleeping bag|frying pan|wool socks|keyboard|monitor stand|yoga mat|alarm clock|tea kettle|scarf|toolbox|tent|wall clock|
sunglasses|printer ink|storage box|dog leash""".replace(
    "\n", ""
).split(
    "|"
)
SONG = "Blue Harbor|Slow Rain|Paper Moon Road|Silver Lines|Northern Kite|Empty Ferry|Red Lantern|Quiet Engine|Salt and Snow|Last Tram Home|Copper Sky|Glass River".split(
    "|"
)
ROOM = "kitchen|bedroom|living room|bathroom|hallway|office|garage|attic|basement|nursery|garden|porch|studio|pantry|guest room|laundry room".split(
    "|"
)
COLOR = "red green blue yellow purple orange white pink turquoise amber crimson teal".split()
LANGUAGE = "German French Spanish Italian Dutch Polish Japanese Korean Turkish Greek Czech Danish Finnish Swahili Hindi Arabic Portuguese Norwegian".split()
CURRENCY = "EUR USD GBP JPY CHF SEK NOK DKK PLN CZK INR BRL CAD AUD TRY ZAR".split()
TIMEZONE = "UTC Europe/Berlin Europe/Paris Asia/Tokyo America/Chicago America/Lima Africa/Cairo Asia/Delhi Australia/Sydney Europe/Kyiv".split()
DAY = "today|tomorrow|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|next Monday|next week|this weekend|the day after tomorrow".split(
    "|"
)
MONTH = "January February March April May June July August September October November December".split()
STATUS = "open closed pending paid late active paused cancelled approved rejected shipped done".split()
PRIORITY = "low normal high urgent".split()
FORMAT = "pdf csv json xlsx html txt xml".split()
HOST = "example.com example.org example.net api.example.com shop.example.org blog.example.net wiki.example.com status.example.org docs.example.net".split()
TAG = "vip internal draft todo green legacy beta fragile personal seasonal spare priority external".split()
SKY = "cloudy|sunny|light rain|clear|foggy|windy|snow|thunderstorms|overcast|drizzle".split("|")
DISH = "lentil soup|apple pie|vegetable curry|pancakes|fish stew|mushroom risotto|potato salad|tomato soup|rye bread|fried rice|onion tart|bean chili".split(
    "|"
)
INGREDIENT = "eggs|flour|rice|tomatoes|potatoes|butter|lemons|oats|spinach|carrots|milk|garlic|chickpeas|noodles|mushrooms".split(
    "|"
)
TEAM = "sales|support|design|finance|platform|legal|research|warehouse|security|mobile|hiring|press".split(
    "|"
)
BRANCH = (
    "main develop fix-login new-header release-2 hotfix-mail cleanup add-search dark-mode bump-deps".split()
)
SERVICE = (
    "billing checkout gateway mailer search auth scheduler worker frontend metrics cache uploader".split()
)
TABLE = "customers orders payments products sessions invoices visits employees shipments reviews tickets stores".split()
COLUMN = "email name total created_at country status price quantity city age".split()
TICKER = "ABCX NORD QZLT VRDA SOLR HLMA PYRX TRNK BLUM OKTA7".split()
HARD_WORD = "serendipity ephemeral quorum entropy parable viscosity umami axiom tundra isthmus lexicon quasar ballast gusset".split()
LEVEL = "debug info warning error".split()

MORE = words.known(set(EVAL_STEM + EVAL_FOLDER + EVAL_WORD))
"""Words for training beyond the lists above."""

KEPT = 7
"""One value in this many is kept for the evaluation."""


def split(pool, held):
    """The training part of a pool, or the part that is kept."""
    if len(pool) < KEPT:
        return list(pool)
    return [value for index, value in enumerate(pool) if (index % KEPT == 3) == held]


NAMED = {
    "status": STATUS,
    "tag": TAG,
    "team": TEAM,
    "service": SERVICE,
    "product": PRODUCT,
    "song": SONG,
    "city": CITY,
    "country": COUNTRY,
    "dish": DISH,
    "ingredient": INGREDIENT,
    "color": COLOR,
    "room": ROOM,
    "hardword": HARD_WORD,
    "host": HOST,
    "table": TABLE,
    "column": COLUMN,
    "branch": BRANCH,
    "ticker": TICKER,
    "language": LANGUAGE,
    "day": DAY,
    "topic": TOPIC,
    "title": TITLE,
}
"""The pools to which training adds."""


def _listed(text):
    return text.split("|") if "|" in text else text.split()


def _lessons():
    """The values that training adds, without any that the evaluation keeps for itself."""
    kept = {name: {str(value).lower() for value in split(pool, True)} for name, pool in NAMED.items()}
    kept_words = set(EVAL_WORD + EVAL_STEM + EVAL_FOLDER)
    return {
        name: [
            value
            for value in _listed(text)
            if value.lower() not in kept.get(name, ())
            and not kept_words & set(re.findall("[a-z]+", value.lower()))
        ]
        for name, text in LESSONS.items()
    }


EXTRA = _lessons()


def _pool(pool, extra=()):
    parts = {held: split(pool, held) for held in (False, True)}
    names = len(pool) > 20 and all(isinstance(value, str) and value.istitle() for value in pool)

    def draw(rng, held):
        if extra and not held and rng.chance(0.6):
            return rng.pick(extra)
        if names and rng.chance(0.15):
            return odd(rng).capitalize()
        return rng.pick(parts[held and rng.chance(0.7)])

    return draw


SYLLABLES = "ba bel bo cra da den do fen fi ga gor ha hin jo ka kel li lom ma mer ni nor o pa pel qui ra rin sa sol ta tur u va ver wi xo ya zan ze".split()


def odd(rng):
    """A word that no list has: copying must work on any letters."""
    return "".join(rng.pick(SYLLABLES) for _ in range(rng.between(2, 3)))


def _stem(rng, held):
    stem = rng.pick(EVAL_STEM if held else STEM if rng.chance(0.4) else MORE) if rng.chance(0.8) else odd(rng)
    style = rng.below(8)
    if style == 0:
        return f"{stem}_{rng.pick(EVAL_WORD if held else MORE)}"
    if style == 1:
        return f"{stem}-{rng.between(1, 40)}"
    if style == 2:
        return f"{stem}{rng.between(2019, 2026)}"
    if style == 3:
        return stem.upper() if rng.chance(0.5) else stem.capitalize()
    return stem


def folder(rng, held):
    """A folder, up to three deep."""
    pool = EVAL_FOLDER + FOLDER if held else FOLDER if rng.chance(0.6) else MORE
    parts = [
        rng.pick(pool) if rng.chance(0.8) else odd(rng) for _ in range(rng.weighted([(1, 6), (2, 3), (3, 1)]))
    ]
    path = "/".join(parts)
    return rng.weighted([(path, 6), (f"/home/user/{path}", 1), (f"./{path}", 1), (f"{path}/", 1)])


def filename(rng, held):
    """A bare file name."""
    return f"{_stem(rng, held)}.{rng.pick(EXT)}"


def path(rng, held):
    """A file, bare or under folders."""
    name = filename(rng, held)
    if rng.chance(0.45):
        return name
    return f"{folder(rng, held).rstrip('/')}/{name}"


def person(rng, held):
    """A given name and a composed family name."""
    given = rng.pick(split(GIVEN, held))
    family = f"{rng.pick(SUR_A)}{rng.pick(SUR_B)}" if rng.chance(0.8) else odd(rng).capitalize()
    return f"{given} {family}"


def first_name(rng, held):
    return rng.pick(split(GIVEN, held))


def email(rng, held):
    given, family = person(rng, held).lower().split(" ")
    user = rng.weighted(
        [
            (f"{given}.{family}", 3),
            (given, 2),
            (f"{given[0]}{family}", 1),
            (f"{given}{rng.between(1, 99)}", 1),
        ]
    )
    return f"{user}@{rng.pick(HOST[:3] + ['mail.example.com', 'team.example.org'])}"


def url(rng, held):
    word = rng.pick(EVAL_WORD if held else MORE)
    tail = rng.weighted(
        [("", 2), (f"/{word}", 3), (f"/{word}/{rng.between(1, 900)}", 1), (f"/{word}.html", 1)]
    )
    return f"https://{rng.pick(HOST)}{tail}"


def code(rng, held):
    """An identifier as systems give them."""
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    head = "".join(rng.pick(letters) for _ in range(rng.between(1, 3)))
    number = rng.between(10, 99999)
    return rng.weighted(
        [
            (f"{head}-{number}", 5),
            (f"{head}{number}", 2),
            (f"#{number}", 1),
            (str(number), 1),
            (f"{head.lower()}_{number}", 1),
        ]
    )


def date(rng, held):
    day, month, year = rng.between(1, 28), rng.between(1, 12), rng.between(2023, 2027)
    return rng.weighted(
        [
            (f"{year}-{month:02}-{day:02}", 4),
            (f"{day} {MONTH[month - 1]}", 3),
            (f"{MONTH[month - 1]} {day}", 2),
            (f"{day}.{month}.{year}", 1),
            (f"{day:02}/{month:02}/{year}", 1),
        ]
    )


def clock(rng, held):
    hour, minute = rng.between(0, 23), rng.pick([0, 0, 5, 10, 15, 20, 30, 30, 45, 50])
    return rng.weighted(
        [
            (f"{hour:02}:{minute:02}", 4),
            (f"{hour % 12 or 12} {'am' if hour < 12 else 'pm'}", 2),
            (f"{hour % 12 or 12}:{minute:02}{'am' if hour < 12 else 'pm'}", 1),
        ]
    )


def money(rng, held):
    return rng.weighted(
        [(rng.between(2, 900), 3), (rng.between(100, 99999) / 100, 2), (rng.between(1, 90) * 50, 1)]
    )


def integer(rng, held):
    return rng.weighted([(rng.between(2, 12), 4), (rng.between(13, 99), 3), (rng.between(100, 5000), 1)])


def small(rng, held):
    return rng.between(2, 12)


def percent(rng, held):
    return rng.weighted([(rng.between(1, 20) * 5, 3), (rng.between(1, 100), 1)])


def temperature(rng, held):
    return rng.between(-9, 33)


def number(rng, held):
    return rng.weighted(
        [(rng.between(2, 999), 3), (rng.between(11, 9999) / 10, 2), (rng.between(101, 99999) / 100, 1)]
    )


def expression(rng, held):
    """Sums as people type them."""

    def term():
        return str(
            rng.weighted(
                [(rng.between(2, 99), 4), (rng.between(100, 9999), 2), (rng.between(11, 999) / 10, 1)]
            )
        )

    out = term()
    for _ in range(rng.weighted([(1, 5), (2, 3), (3, 1)])):
        sign = rng.pick(["+", "-", "*", "/"])
        out += f" {sign} {term()}"
    style = rng.below(6)
    if style == 0:
        return out.replace(" ", "")
    if style == 1:
        return f"({out}) {rng.pick(['*', '/', '+'])} {rng.between(2, 20)}"
    return out


def phone(rng, held):
    return f"+{rng.between(1, 99)} {rng.between(100, 999)} {rng.between(1000, 999999)}"


ACTS = "needs|lost|found|sold|painted|forgot|likes|wants to see|repaired|ordered|brought|took|left|hid|washed|counted".split(
    "|"
)
WHEN = "||| on Friday| at noon| last night| before lunch| in the garden| near the station| for the children| twice| by mistake| at the office".split(
    "|"
)


def _composed(rng, held):
    """A plain sentence that nobody wrote down before."""
    pool = EVAL_WORD if held else MORE
    who = rng.weighted([(first_name(rng, held), 3), (f"the {rng.pick(PEOPLE)}", 2), ("we", 1), ("I", 1)])
    return f"{who} {rng.pick(ACTS)} the {rng.pick(pool)}{rng.pick(WHEN)}"


PEOPLE = "baker|driver|teacher|neighbour|plumber|doctor|client|manager|pilot|gardener".split("|")


def title(rng, held):
    """What things are called: from the list, or made of two words."""
    if not held and rng.chance(0.4):
        return rng.pick(EXTRA["title"])
    if rng.chance(0.5):
        return rng.pick(split(TITLE, held))
    pool = EVAL_WORD if held else MORE
    return f"{rng.pick(['buy', 'fix', 'check', 'plan', 'review', 'order', 'clean', 'sell', 'new', 'old', 'big'])} {rng.pick(pool)}{rng.pick(['', '', 's', ' ' + rng.pick(pool)])}"


def topic(rng, held):
    if not held and rng.chance(0.4):
        return rng.pick(EXTRA["topic"])
    if rng.chance(0.6):
        return rng.pick(split(TOPIC, held))
    pool = EVAL_WORD if held else MORE
    return f"{rng.pick(['old', 'modern', 'cheap', 'wild', 'digital', 'local', 'rare', 'ancient', 'small'])} {rng.pick(pool)}s"


def sentence(rng, held):
    text = rng.pick(split(SENTENCE, held)) if rng.chance(0.4) else _composed(rng, held)
    return text if rng.chance(0.6) else text[0].upper() + text[1:] + rng.pick([".", "!", ""])


def phrase(rng, held):
    """Words for text tools: sentences, titles or plain word heaps."""
    pool = EVAL_WORD + WORD if held else MORE
    heap = " ".join(rng.pick(pool) for _ in range(rng.between(2, 5)))
    return rng.weighted(
        [
            (sentence(rng, held), 4),
            (heap, 3),
            (rng.pick(split(TITLE, held)), 2),
            (rng.pick(split(TOPIC, held)), 1),
        ]
    )


def token(rng, held):
    """A search word."""
    if rng.chance(0.2):
        return odd(rng)
    return rng.pick((EVAL_WORD if rng.chance(0.7) else WORD) if held else MORE)


def pattern(rng, held):
    return rng.weighted(
        [
            (f"*.{rng.pick(EXT)}", 4),
            (f"{_stem(rng, held)}*", 2),
            (f"**/*.{rng.pick(EXT)}", 1),
            (f"*{token(rng, held)}*", 1),
        ]
    )


def duration(rng, held):
    return f"{rng.between(2, 59)} {rng.pick(['minutes', 'hours', 'seconds', 'days'])}"


def ip(rng, held):
    return f"192.0.2.{rng.between(1, 254)}" if rng.chance(0.5) else f"198.51.100.{rng.between(1, 254)}"


def version(rng, held):
    return f"{rng.between(0, 9)}.{rng.between(0, 20)}.{rng.between(0, 12)}"


def address(rng, held):
    return f"{rng.between(1, 180)} {rng.pick(['Mill', 'Station', 'Park', 'Church', 'Harbor', 'Linden', 'Bridge', 'Garden'])} {rng.pick(['Street', 'Road', 'Lane'])}"


def file_of(extensions):
    """Files of one sort, such as pictures."""

    def draw(rng, held):
        return path(rng, held).rsplit(".", 1)[0] + "." + rng.pick(extensions)

    return draw


def letter(rng, held):
    return rng.pick("ABCDEFGHIJKLMNOPRSTUVWZ")


def blob(rng, held):
    """What Base64 looks like; nobody decodes it here."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    return "".join(rng.pick(alphabet) for _ in range(4 * rng.between(2, 5) - 1)) + "="


def sql(rng, held):
    table, column = rng.pick(TABLE), rng.pick(COLUMN)
    return rng.pick(
        [
            f"SELECT * FROM {table}",
            f"SELECT count(*) FROM {table}",
            f"SELECT {column} FROM {table} LIMIT {rng.between(1, 50)}",
            f"SELECT {column} FROM {table} WHERE {rng.pick(COLUMN)} = {rng.between(1, 99)}",
            f"select max({column}) from {table}",
            f"DELETE FROM {table} WHERE {column} < {rng.between(1, 99)}",
        ]
    )


def code_text(rng, held):
    a, b = rng.between(1, 99), rng.between(1, 99)
    return rng.pick(
        [
            f"print({a} * {b})",
            f"sum(range({a}))",
            f"[x * {a} for x in range({rng.between(2, 9)})]",
            f"len('{token(rng, held)}')",
            f"sorted([{a}, {b}, {rng.between(1, 99)}])",
            f"max({a}, {b})",
            f"'{token(rng, held)}'.upper()",
            f"print('{token(rng, held)}')",
        ]
    )


def command(rng, held):
    file, where = path(rng, held), folder(rng, held)
    return rng.pick(
        [
            f"ls {where}",
            f"ls -la {where}",
            f"cat {file}",
            f"wc -l {file}",
            f"head -n {rng.between(2, 30)} {file}",
            "git status",
            "git log --oneline",
            f"grep -rn {token(rng, held)} {where}",
            f"mkdir -p {where}",
            f"rm {file}",
            "date",
            "pwd",
            "whoami",
            "df -h",
            "uname -a",
            "make test",
            "cargo build",
            "npm install",
            f"python3 {file}",
            f"du -sh {where}",
            f"find {where} -name '{pattern(rng, held)}'",
            "ps aux",
            "env",
            f"touch {file}",
            f"echo {token(rng, held)}",
            f"sort {file}",
            f"tail -n {rng.between(2, 30)} {file}",
            f"git checkout {rng.pick(BRANCH)}",
            "uptime",
            f"stat {file}",
        ]
    )


def numbers(rng, held):
    """Some whole numbers, as people write them."""
    return rng.pick([", ", " ", ","]).join(str(rng.between(1, 400)) for _ in range(rng.between(3, 7)))


DRAW = {
    "image": file_of(["png", "jpg", "gif", "webp"]),
    "audio": file_of(["mp3", "wav", "ogg", "m4a"]),
    "video": file_of(["mp4", "mkv", "mov"]),
    "pdf": file_of(["pdf"]),
    "letter": letter,
    "blob": blob,
    "sql": sql,
    "code_text": code_text,
    "command": command,
    "updown": _pool(["open", "close"]),
    "onoff": _pool(["on", "off"]),
    "deg": _pool([90, 180, 270, 45]),
    "sign": _pool(
        "aries taurus gemini cancer leo virgo libra scorpio sagittarius capricorn aquarius pisces".split()
    ),
    "app": _pool(
        "calculator|camera|mail|maps|music player|notes|paint|photos|settings|spreadsheet|terminal|text editor|browser|clock".split(
            "|"
        ),
        EXTRA["app"],
    ),
    "ulen": _pool("metres kilometres miles feet inches yards centimetres".split()),
    "uwt": _pool("kilograms pounds ounces grams tons stone".split()),
    "uvol": _pool("litres gallons cups pints millilitres".split()),
    "utmp": _pool(["Celsius", "Fahrenheit", "Kelvin"]),
    "imgfmt": _pool("png jpg webp gif tiff bmp".split()),
    "path": path,
    "folder": folder,
    "filename": filename,
    "person": person,
    "first": first_name,
    "email": email,
    "url": url,
    "code": code,
    "date": date,
    "clock": clock,
    "money": money,
    "int": integer,
    "small": small,
    "percent": percent,
    "temp": temperature,
    "number": number,
    "expr": expression,
    "phone": phone,
    "sentence": sentence,
    "phrase": phrase,
    "token": token,
    "pattern": pattern,
    "duration": duration,
    "ip": ip,
    "version": version,
    "address": address,
    "city": _pool(CITY, EXTRA["city"]),
    "country": _pool(COUNTRY, EXTRA["country"]),
    "topic": topic,
    "title": title,
    "product": _pool(PRODUCT, EXTRA["product"]),
    "song": _pool(SONG, EXTRA["song"]),
    "room": _pool(ROOM, EXTRA["room"]),
    "color": _pool(COLOR, EXTRA["color"]),
    "language": _pool(LANGUAGE, EXTRA["language"]),
    "currency": _pool(CURRENCY),
    "zone": _pool(TIMEZONE),
    "day": _pool(DAY, EXTRA["day"]),
    "status": _pool(STATUS, EXTRA["status"]),
    "priority": _pool(PRIORITY),
    "format": _pool(FORMAT),
    "tag": _pool(TAG, EXTRA["tag"]),
    "sky": _pool(SKY),
    "dish": _pool(DISH, EXTRA["dish"]),
    "ingredient": _pool(INGREDIENT, EXTRA["ingredient"]),
    "team": _pool(TEAM, EXTRA["team"]),
    "branch": _pool(BRANCH, EXTRA["branch"]),
    "service": _pool(SERVICE, EXTRA["service"]),
    "table": _pool(TABLE, EXTRA["table"]),
    "column": _pool(COLUMN, EXTRA["column"]),
    "ticker": _pool(TICKER, EXTRA["ticker"]),
    "hardword": _pool(HARD_WORD, EXTRA["hardword"]),
    "host": _pool(HOST, EXTRA["host"]),
    "month": _pool(MONTH),
    "loglevel": _pool(LEVEL),
    "program": _pool("eco quick intensive normal half-load glass night rinse auto turbo".split()),
    "animal": _pool(
        "cat dog hamster parrot rabbit turtle goldfish pony guinea-pig canary lizard goat ferret hen badger otter hedgehog eagle dolphin wolf moose swan".split()
    ),
    "scene": _pool(
        "movie night|dinner|party|reading|sleep|work|holiday|romance|gaming|breakfast|study|cleaning".split(
            "|"
        )
    ),
    "trade": _pool(
        "plumber electrician joiner painter roofer locksmith gardener tiler glazier mechanic bricklayer chimney-sweep".split()
    ),
    "symptom": _pool(
        "a headache|fever|a cough|back pain|a sore throat|nausea|dizziness|a rash|a runny nose|stomach ache|tired eyes|toothache".split(
            "|"
        )
    ),
    "sport": _pool(
        "football handball tennis rowing judo yoga boxing volleyball chess basketball badminton hockey cricket rugby curling pilates spinning fencing".split()
    ),
    "station": _pool(
        "Market Square|Old Mill|North Gate|City Hall|Harbour|University|Zoo|Castle Hill|Station West|Opera|Stadium|Airport East|Hospital|Lake View|Bridge Street".split(
            "|"
        )
    ),
    "travelclass": _pool("economy|business class|first class|second class|premium|standby".split("|")),
    "square": _pool("a4 b5 c3 c6 d4 d5 e4 e5 f3 f6 g4 h5 Nf3 Bb5 Qd2 Rxe1".split()),
    "element": _pool(
        "hydrogen helium lithium carbon nitrogen oxygen neon sodium magnesium sulfur chlorine calcium iron copper zinc silver tin iodine gold mercury lead".split()
    ),
    "planet": _pool("Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune Pluto Ceres".split()),
    "shift": _pool("early late night morning day split weekend".split()),
    "job": _pool(
        "nurse|baker|welder|data analyst|truck driver|teacher|cook|software engineer|florist|accountant|dentist|bricklayer|receptionist|translator|pilot|hairdresser|architect|paramedic".split(
            "|"
        )
    ),
    "metal": _pool("gold silver platinum palladium copper".split()),
    "stationery": _pool(
        "pens|paper|folders|staples|envelopes|sticky notes|markers|binders|labels|toner|pencils|notepads".split(
            "|"
        )
    ),
    "envvar": _pool(
        "HOME PATH USER LANG EDITOR SHELL TMPDIR API_URL LOG_LEVEL DB_HOST PORT DEBUG CACHE_DIR TZ REGION".split()
    ),
    "mode": _pool("644 600 755 700 640 750 444 664 775".split()),
    "role": _pool("admin editor viewer moderator owner reviewer auditor guest manager developer".split()),
    "numbers": numbers,
    "side": _pool("left right top bottom".split()),
}
"""How a value of each type is drawn: `DRAW[type](rng, held)`."""

INTEGER = {"int", "small", "percent", "temp", "deg"}
NUMBER = {"money", "number"}
CHOICES = {
    "status": STATUS,
    "priority": PRIORITY,
    "format": FORMAT,
    "color": COLOR,
    "loglevel": LEVEL,
    "updown": ["open", "close"],
    "onoff": ["on", "off"],
    "utmp": ["Celsius", "Fahrenheit", "Kelvin"],
}
"""Types that a schema may list as an enum."""

ARGUMENT_NAMES = {
    "path": "path file file_path filename target doc",
    "folder": "path folder dir directory location",
    "filename": "name file filename",
    "person": "name person who full_name contact",
    "first": "name person who",
    "email": "email to address recipient mail",
    "url": "url link address page uri",
    "code": "id key number ref code identifier",
    "date": "date day when on",
    "clock": "time at when hour",
    "money": "amount value sum price",
    "int": "count number n amount",
    "small": "count n number",
    "percent": "percent level value",
    "temp": "degrees temperature value",
    "number": "value amount number x",
    "expr": "expression formula expr calculation sum",
    "phone": "phone number to",
    "sentence": "text message body content",
    "phrase": "text input content string",
    "token": "query word term keyword search q",
    "pattern": "pattern glob mask match",
    "duration": "duration time length for",
    "ip": "ip address host",
    "version": "version release",
    "address": "address place street",
    "city": "city place location town where",
    "country": "country place nation",
    "topic": "topic query subject about q",
    "title": "title name subject label",
    "product": "product item name article",
    "song": "song title track name",
    "room": "room place area zone",
    "color": "color colour tint",
    "language": "language lang target to",
    "currency": "currency unit code",
    "zone": "zone timezone tz",
    "day": "day date when",
    "status": "status state",
    "priority": "priority urgency level",
    "format": "format type kind",
    "tag": "tag label",
    "sky": "sky",
    "dish": "dish meal recipe name",
    "ingredient": "ingredient item food",
    "team": "team group department",
    "branch": "branch ref name",
    "service": "service name app component",
    "table": "table name",
    "column": "column field name",
    "ticker": "symbol ticker stock",
    "hardword": "word term expression",
    "host": "host domain site name",
    "month": "month period",
    "loglevel": "level severity",
    "image": "image picture file path photo",
    "audio": "audio file path recording",
    "video": "video file path clip",
    "pdf": "pdf file path document",
    "program": "program mode cycle",
    "scene": "scene mode mood",
    "travelclass": "class fare category",
    "element": "element name",
    "planet": "planet name body",
    "shift": "shift slot kind",
    "metal": "metal name",
    "stationery": "item article what",
    "mode": "mode rights permissions",
    "role": "role right permission",
    "numbers": "numbers values list data",
    "side": "side edge position",
    "animal": "animal species pet",
    "sport": "sport game",
    "trade": "trade job",
    "symptom": "symptom what",
    "station": "station stop",
    "square": "move square",
    "job": "job title role",
    "envvar": "name variable",
    "app": "app name program",
    "onoff": "state value",
}
"""Names that an argument of a type goes by; each catalogue picks anew, so that names must be read."""
