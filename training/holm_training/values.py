"""What arguments and results are filled with: pools and compositions, each with a part kept for the evaluation."""

import re

from . import words

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

LESSONS = {
    "status": "accepted archived assigned blocked broken completed confirmed delayed delivered denied expired finished frozen hidden inactive locked lost missing "
    "new offline online overdue planned private processed public ready received refunded resolved returned reviewed running scheduled sent settled signed sold started stopped "
    "suspended unknown unpaid valid verified waiting withdrawn",
    "tag": "archive blue budget cheap classic client critical customer daily european experimental family favourite fresh global heavy holiday hot important large local "
    "long manual modern monthly national new old online open private premium public quick red regional rural safe sample secret short small special spring summer sunny "
    "temporary travel trial urban vintage weekly winter yearly",
    "team": "accounting|analytics|backend|catering|cleaning|compliance|content|data|delivery|editorial|events|facilities|field service|growth|infrastructure|logistics|maintenance|"
    "marketing|network|operations|packaging|payroll|procurement|product|production|quality|reception|repairs|training|translation|transport",
    "service": "accounts alerts analytics archive assets audit backoffice basket bookings calendar catalog chat comments config content delivery exporter feed forms gallery "
    "gateway-eu identity images importer indexer inventory invoicing ledger-sync login logs mail-relay maps media messages monitor newsfeed notifications orders payments "
    "planner portal pricing profile proxy queue ratings recommender registry reports resizer rooms router sessions shipping signup storage subscriptions support tasks "
    "telemetry thumbnails timeline tracking translator updates users video voice wallet webhooks",
    "product": "armchair|baking tray|bath towel|beach ball|bed sheet|bicycle bell|bookshelf|bread knife|camera strap|candle holder|car charger|chess set|coat hanger|cooking pot|"
    "cotton shirt|cutting board|desk fan|door mat|dress shoes|drum kit|electric razor|extension cord|face mask|fishing rod|flower pot|folding chair|football|garden shears|gloves|"
    "gym bag|hair dryer|hand soap|iron|jigsaw puzzle|juice press|laptop sleeve|leather belt|lunch box|memory card|microwave|milk jug|mirror|mouse pad|nail scissors|"
    "noise filter|oven glove|paper shredder|pencil case|picture frame|pillow|plant pot|power bank|radio|raincoat|reading lamp|rice cooker|rubber boots|screwdriver|shower curtain|"
    "skateboard|soldering iron|soup bowl|spice rack|stapler|suitcase|swimsuit|table cloth|tea cups|tennis racket|thermos flask|tie|toolkit|tooth brush|travel pillow|tripod|"
    "umbrella stand|vase|video game|walking stick|waste basket|watering can|webcam|wine glasses|winter coat|wrench",
    "song": "Autumn Wire|Back to Larsen Hill|Broken Compass Waltz|Cold Harvest|Dancing on Gravel|Distant Kitchen|Dust of Monday|Every Second Door|Falling Orchard|First Snow Blues|"
    "Golden Ladder|Hollow Drum|House of Reeds|Iron Summer|Just One Mile|Kingfisher|Little Thunder|Long Way Up|Lost Umbrella|Midnight Bakery|Morning Without You|My Other Name|"
    "Neon Fields|No More Maps|Ocean Drive North|Old Station Clock|One Last Signal|Open Windows|Pale Horses|Rain on Tin|Roundabout Heart|Second Hand Sun|Seven Bridges|Shallow Water|"
    "Sleeping Giants|Small Town Choir|Stone by Stone|Sugar and Smoke|The Quiet Ones|The Tailor's Song|Two Left Shoes|Under the Pier|Velour|Walking Home Slow|Wild Geese Turning|"
    "Windows of June|Winter Market|Yesterday's Bread|Yellow Raincoat|Zero Gravity Town",
    "city": "Aarhus Adelaide Ankara Antwerp Augsburg Austin Bangkok Basel Bath Beirut Belfast Belgrade Bilbao Bologna Bordeaux Brisbane Bristol Brno Brussels Bucharest Budapest "
    "Calgary Catania Cologne Copenhagen Cordoba Dallas Dresden Edinburgh Eindhoven Esbjerg Freiburg Galway Gdansk Glasgow Gothenburg Granada Haifa Halifax Hamburg Hannover "
    "Innsbruck Jena Kampala Karlsruhe Kassel Kazan Krakow Lausanne Leeds Leiden Linz Liverpool Lodz Lucerne Lund Madras Malaga Manchester Mannheim Marseille Melbourne Memphis "
    "Minsk Montpellier Nantes Nice Nuremberg Odense Osaka Oxford Padua Perth Phoenix Pisa Poznan Quebec Ravenna Rennes Rosario Rostock Rotterdam Santiago Sapporo Sheffield "
    "Siena Split Strasbourg Stuttgart Szeged Tampere Tartu Toulouse Trento Tromso Turku Ulm Uppsala Valencia Venice Verona Wellington Winnipeg York Zaragoza",
    "country": "Albania Algeria Argentina Armenia Australia Bangladesh Belgium Bolivia Bulgaria Cambodia China Colombia Croatia Cuba Cyprus Denmark Ecuador Estonia Ethiopia Fiji "
    "Georgia Ghana Guatemala Hungary Indonesia Iran Israel Jamaica Jordan Kazakhstan Laos Latvia Lebanon Lithuania Luxembourg Madagascar Malaysia Malta Mongolia Namibia "
    "Netherlands Nigeria Oman Pakistan Panama Paraguay Romania Rwanda Senegal Serbia Singapore Slovakia Slovenia Switzerland Tanzania Thailand Tunisia Uganda Ukraine Uruguay "
    "Venezuela Zambia",
    "dish": "apricot dumplings|baked beans|beef stew|beetroot soup|bread pudding|broccoli bake|butter chicken|cabbage rolls|caesar salad|carrot cake|cheese omelette|cherry tart|chicken soup|"
    "coconut rice|corn chowder|couscous salad|cucumber salad|dumplings|eggplant lasagne|falafel wrap|fish tacos|french toast|garlic noodles|goulash|green curry|grilled cheese|"
    "ham and eggs|herb quiche|leek pie|lemon chicken|meat loaf|minestrone|muffins|nut roast|paella|pea soup|peach cobbler|pesto pasta|pizza|plum cake|polenta|porridge|pumpkin soup|"
    "ramen|ratatouille|roast beef|sausage rolls|scrambled eggs|shepherd's pie|spinach pie|spring rolls|stuffed peppers|sushi|tuna salad|vegetable lasagne|waffles",
    "ingredient": "almonds|apples|apricots|asparagus|avocados|bacon|bananas|barley|basil|beans|beetroot|bread|broccoli|cabbage|cashews|cauliflower|celery|cheese|cherries|chicken|cinnamon|"
    "corn|cranberries|cream|cucumbers|dates|eggplants|figs|fish|ginger|grapes|ham|hazelnuts|honey|kale|leeks|lentils|lettuce|limes|mangoes|melons|nuts|olives|onions|oranges|parsley|"
    "pasta|peaches|peanuts|pears|peas|peppers|pineapples|plums|pork|pumpkins|quinoa|radishes|raisins|raspberries|salmon|shrimps|strawberries|sugar|tofu|turnips|walnuts|yeast|yogurt",
    "color": "beige black bronze brown cherry copper coral cream cyan gold grey indigo ivory khaki lavender lime magenta maroon mint navy olive peach plum rose ruby rust salmon sand "
    "scarlet silver tan violet",
    "room": "balcony|bathhouse|boiler room|boardroom|cellar stairs|changing room|children's room|cloakroom|conservatory|corridor|dining room|entrance|games room|gym|kitchenette|landing|"
    "library|lobby|loft|music room|patio|playroom|reading room|server room|sauna|shed|storeroom|stable|study|sunroom|terrace|utility room|veranda|waiting room|workshop",
    "hardword": "abeyance acumen alacrity ambergris anodyne aplomb arcane aster bauble bellwether bromide cadence candor caprice cipher coda conundrum coppice cynosure dearth demure "
    "dirge doldrums effigy elixir enclave epitome equinox exodus facet fathom fiasco filigree flotsam gambit garnish gossamer halcyon hiatus hubris idyll impasse inertia jargon "
    "kismet laconic latent limbo malaise maxim mirage nadir nebula nimbus nuance obelisk oblique opaque paradox pathos penumbra plethora quagmire quandary quiver raconteur rampart "
    "redolent reverie rubric sabbatical schism sinew solstice sonnet stigma strata talisman tangent tenet trellis turmoil vagary vellum vestige whimsy wistful zephyr zest",
    "host": "alpha.example.com beta.example.org cdn.example.net cloud.example.com forum.example.org ftp.example.net git.example.com help.example.org intranet.example.net login.example.com "
    "mail.example.net maps.example.org media.example.com my.example.net news.example.org old.example.com portal.example.net radio.example.org static.example.com test.example.net "
    "tickets.example.org video.example.com vpn.example.net www.example.org",
    "table": "accounts addresses answers appointments articles audits authors batches bills books branches budgets cards carts categories cities clients comments contracts countries courses "
    "deliveries devices documents donations events exams feeds files flights forms games grades groups guests hotels images items jobs journals keys languages leads lessons licenses "
    "likes logs machines meals members messages movies notes offers parts passengers patents permits photos players policies posts prices projects questions quotes races ratings "
    "recipients refunds regions requests roles rooms rules salaries scores services skills songs states stations stocks students subjects suppliers surveys tags tasks taxes teachers "
    "teams terms tests threads tools tours trades trips units uploads users vendors videos votes wages warehouses",
    "column": "address amount author balance birthday brand category client code color comment company cost currency customer_id date deadline department description discount distance due_date "
    "duration end_date first_name height hours id kind language last_login last_name latitude length level location manager margin month note number order_id owner page paid phone "
    "points priority product rank rating reason region result revenue role salary score sender size source start_date state stock street subject tax team title type unit updated_at "
    "user_id value vendor version volume weight year zip",
    "branch": "add-cache add-export api-v2 big-refactor cleanup-tests docs-update drop-legacy experiment feature-upload fix-crash fix-timeout fix-typo german-texts hotfix-login hotfix-tax "
    "improve-speed login-page main-2 mobile-view new-icons new-parser next nightly old-ui payment-flow prototype quick-fix redesign release-3 rename-api revert-mail staging "
    "switch-db test-runner trial-run update-deps user-settings web-worker wip-search",
    "ticker": "ALVO BRKT CNDX DRVE ELXA FNTO GRWN HXPL INDO JMPR KLVN LMRA MNTS NVLO OPTX PRGN QRTZ RDVA STLR TMPO UNVA VLCR WNDR XENO YLDR ZNTH",
    "app": "address book|archive manager|backup tool|calendar|chat|contacts|dictionary|disk usage|drawing board|email client|file manager|flash cards|font viewer|games|image viewer|"
    "log viewer|map viewer|media centre|messenger|music studio|news reader|office suite|password safe|PDF reader|photo editor|podcast player|presentation|recorder|remote desktop|"
    "screen reader|scanner app|shell|sound mixer|system monitor|task board|timer|translator|video editor|video player|voice memos|weather app|web server|whiteboard|word processor",
    "language": "Albanian Basque Bengali Bulgarian Catalan Chinese Croatian English Estonian Farsi Galician Georgian Hebrew Hungarian Icelandic Indonesian Irish Latin Latvian Lithuanian Malay "
    "Maltese Mongolian Nepali Persian Punjabi Romanian Russian Serbian Slovak Slovene Swedish Tamil Thai Ukrainian Urdu Vietnamese Welsh Yoruba Zulu",
    "day": "a week from today|Friday evening|Friday morning|in two days|in three weeks|last Friday|last Monday|last night|Monday evening|next Friday|next month|next Sunday|next Thursday|next weekend|"
    "on Monday|on Tuesday|on Thursday|on the weekend|Saturday night|Sunday afternoon|this afternoon|this evening|this Friday|this morning|this week|Thursday morning|tomorrow evening|"
    "tomorrow morning|tonight|Tuesday night|Wednesday afternoon|yesterday",
    "topic": "antique clocks|apple trees|arctic foxes|artificial light|bamboo bridges|bank history|bird migration|black holes|board games|book binding|brass bands|brick laying|butterflies|cable cars|"
    "camping stoves|canal boats|card tricks|cave art|cheese making|children's books|city walls|clay pots|climate models|clocks|coffee farms|comets|compost|computer viruses|copper mines|"
    "country dances|cricket rules|dams|deep sea fish|desert plants|diet and mood|dog training|door locks|drones|early radio|earthworms|eclipses|elections|electric guitars|fairy tales|"
    "family law|fencing|fire safety|first aid|flood control|flutes|food labels|forest fires|fossils|fountain pens|frost damage|gear wheels|glass blowing|gold rush|grain prices|harbour cranes|"
    "hay fever|hedgehogs|home schooling|horse breeds|hot springs|ice hockey|image search|ink|insect hotels|iron bridges|jam recipes|kites|knots|lace|learning to swim|leather care|lichens|"
    "lighthouses|locomotives|magnets|maple syrup|marathon training|market squares|medicine in space|milk prices|mineral water|model trains|monasteries|moss gardens|mountain huts|"
    "noise at work|nomads|nutrition for runners|oil paints|old coins|olive oil|opera|owls|paper folding|parking rules|pasta shapes|peat bogs|pension plans|perfume|photo filters|piano makers|"
    "pigeons|pipelines|plastic waste|poetry slams|pottery|quilts|rail gauges|rain forests|rent control|rescue dogs|rice terraces|road salt|rock climbing|roof gardens|rowing|salt mines|"
    "school uniforms|sea shells|seed banks|sewing machines|shadow puppets|ship building|silk|sleep walking|small claims|snow ploughs|soap making|solar eclipses|spiders|stained glass|"
    "steam engines|street food|string quartets|submarines|sugar beets|sundials|swimming pools|table tennis|tattoos|textile dyes|thunderstorms|tram lines|tree houses|truffles|tunnels|"
    "used cars|violin strings|voting machines|waste water|watch making|water mills|wedding customs|weeds|wild boars|wind chimes|wine corks|wolves|wood carving|yoga|zebra crossings",
    "title": "annual checkup|apple picking|art class|audit call|back exercises|barbecue|bike repair|birthday lunch|blood test|boat trip|budget talk|building tour|bus tour|career day|carpet cleaning|"
    "chess club|client visit|coffee with the team|contract signing|cooking class|dance lesson|data review|debate club|delivery slot|demo day|dinner with parents|director call|dog school|"
    "drama group|evening run|eye test|family photo|fire drill|first interview|flea market|flu shot|football practice|german lesson|goal setting|haircut|health check|house viewing|"
    "insurance call|inventory count|job fair|kick-off|language exchange|laundry day|lawyer meeting|leaving drinks|legal review|lunch break|marathon|math tutoring|museum trip|"
    "neighbourhood watch|night shift|office move|onboarding|one on one|open house|opera night|painting course|paperwork|passport photo|pay day|picnic|planning poker|poster session|"
    "press call|product demo|quarterly review|quiz night|reading group|retrospective|road trip|roof repair|rowing practice|salary talk|school play|science fair|second interview|singing lesson|"
    "spring cleaning|stand-up|stock taking|strategy day|street party|summer camp|swimming lesson|talent show|tax return|tenant meeting|test drive|theatre night|town hall|trade fair|"
    "training run|trip to the coast|vendor call|video shoot|volunteer day|wedding rehearsal|wine tasting|winter sale|workshop prep|year-end party",
}
"""More values for training; the evaluation keeps to the pools above."""


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
            if value.lower() not in kept.get(name, ()) and not kept_words & set(re.findall("[a-z]+", value.lower()))
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
    "scene": _pool("movie night|dinner|party|reading|sleep|work|holiday|romance|gaming|breakfast|study|cleaning".split("|")),
    "trade": _pool("plumber electrician joiner painter roofer locksmith gardener tiler glazier mechanic bricklayer chimney-sweep".split()),
    "symptom": _pool("a headache|fever|a cough|back pain|a sore throat|nausea|dizziness|a rash|a runny nose|stomach ache|tired eyes|toothache".split("|")),
    "sport": _pool("football handball tennis rowing judo yoga boxing volleyball chess basketball badminton hockey cricket rugby curling pilates spinning fencing".split()),
    "station": _pool("Market Square|Old Mill|North Gate|City Hall|Harbour|University|Zoo|Castle Hill|Station West|Opera|Stadium|Airport East|Hospital|Lake View|Bridge Street".split("|")),
    "travelclass": _pool("economy|business class|first class|second class|premium|standby".split("|")),
    "square": _pool("a4 b5 c3 c6 d4 d5 e4 e5 f3 f6 g4 h5 Nf3 Bb5 Qd2 Rxe1".split()),
    "element": _pool("hydrogen helium lithium carbon nitrogen oxygen neon sodium magnesium sulfur chlorine calcium iron copper zinc silver tin iodine gold mercury lead".split()),
    "planet": _pool("Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune Pluto Ceres".split()),
    "shift": _pool("early late night morning day split weekend".split()),
    "job": _pool("nurse|baker|welder|data analyst|truck driver|teacher|cook|software engineer|florist|accountant|dentist|bricklayer|receptionist|translator|pilot|hairdresser|architect|paramedic".split("|")),
    "metal": _pool("gold silver platinum palladium copper".split()),
    "stationery": _pool("pens|paper|folders|staples|envelopes|sticky notes|markers|binders|labels|toner|pencils|notepads".split("|")),
    "envvar": _pool("HOME PATH USER LANG EDITOR SHELL TMPDIR API_URL LOG_LEVEL DB_HOST PORT DEBUG CACHE_DIR TZ REGION".split()),
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
