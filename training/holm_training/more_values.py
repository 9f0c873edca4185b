"""Values that training alone fills in, so that copying is learned on thousands and not on dozens."""

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
