"""What training alone shows: more kinds, more words for the same thing. The evaluation's pools stay as they were, byte for byte."""

from dataclasses import replace

from ..kind import Kind, parse, slot
from ..prng import Rng
from . import craft, deeds, family, home, leisure, office, synonyms

NEAR = """
tea_timer timer stopwatch
grocery_add todo_add note_add cart_add reorder office_supply
grocery_show todo_list fridge_list
vet doctor_book haircut
lost_item ring_phone
storm weather uv pollen surf ski river humidity
sea_temp pool swim surf weather
ferry trains directions metro delay seat
concert theatre festival cinema
capital country_facts population flag etiquette encyclopedia
author book_search loan_book poem
return_book loan_book return_item
radio podcast play_music
tv stream movie cinema
quiz riddle joke
animal_facts plant_care encyclopedia fossil planet element
league fixtures sports
grammar spellcheck rewrite formal
pronounce define name_origin translate
proverb quote poem
vat margin calculate savings compound loan tip
payslip salary_cmp tax_estimate
vacation sick_leave holidays_left out_of_office
bank_statement balance
crypto gold stock currency
price_compare shop_search stock_level
reorder office_supply spare_part cart_add
agenda_item minutes decision note_add remember okr
feedback chat_post send_email invite greeting_card neighbour
unsubscribe spam mail_rule
letter fax courier send_file send_email share_link bucket
merge_branch pull git_switch rename_branch
push git_commit stash
blame git_log
ci run_tests compile coverage
todo_scan find_text lint_code complexity
rename_symbol replace_text replace_words
explain_code read_file summarize gen_docs
get_config set_config env_var
cron_list schedule_job
reboot restart
disk_usage file_size disk_free largest_file
dedupe sort_lines
encrypt_file decrypt_file
sync copy_file
favourites note_add remember
page_watch fetch_url feed news
table_insert table_update sql
query_explain sql
db_size tables count_rows
bucket share_link send_file
title_case uppercase
trim truncate
rewrite formal bullet summarize keywords readability
csv_filter csv_mean csv_max row_count csv_columns plot sql count_lines
json_get json_check read_file yaml_check
stats max_of sort_numbers calculate
power calculate sqrt circle rectangle
factor prime gcd
binary hex roman
epoch age days_until date_diff add_days birthday
tz_convert world_time current_time
crop_image image_resize
video_cut audio_cut
bullet mind_map flow_chart slides draw
close_app open_app kill
user_lock user_unlock grant_role
reference feedback
workout_plan gym_class
meal_plan recipe_by_ingredient recipe
chores todo_add
maintenance schedule_job
rent_pay standing_order
opening_times museum pharmacy
company_info encyclopedia
trademark domain
return_item return_book
plant_id bird_id image_describe
history_day encyclopedia
law_lookup encyclopedia docs
hiking directions campsite
toll directions traffic
charge_point parking fuel
doorbell camera
alert_rule create_alert
coffee tea_timer
cards random coin
game_score sports
decision record_decision
"""
"""Sets of which one could stand in for another, as in `all.NEAR`."""

EACH = 11
"""Verbs that each thing with several names is crossed with."""

ASKS = (
    "{v} {w} {n}{t}",
    "{v} {w} {n}{t}",
    "I want to {v} the {n}{t}",
    "the {n} is waiting, {i}{t}",
    "about the {n}: {i}{t}",
    "somebody should {v} the {n}{t}",
    "{w} {n}? {i}{t}",
    "time to {v} {w} {n}{t}",
    "can the {n} be taken care of? I mean {v} it{t}",
    "we have to {v} {w} {n}{t}",
)
DESCRIPTIONS = (
    "{T} {a}{s}.",
    "{T} {a}{s}.",
    "Lets one {v} {a}{s}.",
    "{N}: {i}{s}.",
    "To {v} the {n}{s}.",
    "Used to {v} {a}{s}.",
    "{T} {g}{s}.",
    "{G}{s}.",
    "{G}{s}.",
)


def kinds(classic):
    """The classic kinds that training may show with more wordings, and the new ones."""
    others = {}
    for line in family.ENTITIES.strip().split("\n"):
        first, _, other = line.partition(":")[0].partition(",")
        others[first] = other
    ops = {op["op"]: op for op in family.blocks(family.OPS)}
    out = [widened(kind, others.get(kind.entity), ops.get(kind.op)) for kind in classic]
    for domain, module in (("home", home), ("leisure", leisure), ("office", office), ("craft", craft)):
        out += parse(domain, module.TEXT, lesson=True)
    return out + crossings() + meanings()


def neighbours():
    """Ids by id, both ways."""
    out = {}
    for line in NEAR.strip().split("\n"):
        ids = line.split()
        for one in ids:
            out.setdefault(one, set()).update(other for other in ids if other != one)
    return out


def meanings():
    """Deeds on things that go by several words."""
    verbs = synonyms.groups(synonyms.VERBS)
    out = []
    for nouns, gloss in synonyms.groups(synonyms.NOUNS):
        rng = Rng.named("meanings", nouns[0])
        for number in sorted(rng.sample(range(len(verbs)), EACH)):
            out.append(_meant(nouns, gloss, *verbs[number], rng))
    return out


def _it(verb):
    """`switch on` to `switch it on`, `take a picture of` to `take a picture of it`."""
    parts = verb.split(" ")
    if len(parts) == 2 and parts[1] in (
        "up",
        "off",
        "out",
        "away",
        "apart",
        "together",
        "down",
        "back",
        "in",
        "on",
    ):
        return f"{parts[0]} it {parts[1]}"
    return f"{verb} it"


def _one(noun):
    """The noun with its article; plurals have none."""
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _meant(nouns, gloss, verbs, does, rng):
    slots, tail, said = [], "", ""
    for index, (spec, ask, description) in enumerate(
        rng.sample(deeds.DETAILS, rng.weighted([(0, 1), (1, 4), (2, 3)]))
    ):
        needed = index == 0 or rng.chance(0.5)
        slots.append(slot(spec if needed else spec.replace(":", "?:", 1)))
        tail += ask if needed else f"[{ask}]"
        said += description if rng.chance(0.6) else ""
    asks, descriptions = [], []
    for noun in nouns:
        for verb in verbs:
            for frame in rng.sample(ASKS, 4):
                which = rng.pick(["the", "my", "our", "this"])
                asks.append(_fill(frame, {"v": verb, "w": which, "n": noun, "i": _it(verb), "t": tail}))
            for frame in rng.sample(DESCRIPTIONS, 3):
                words = {
                    "v": verb,
                    "n": noun,
                    "N": noun.capitalize(),
                    "a": _one(noun),
                    "i": _it(verb),
                    "T": deeds.third(verb).capitalize(),
                    "g": gloss,
                    "G": does.replace("{x}", f"the {noun}").capitalize(),
                    "s": said,
                }
                descriptions.append(_fill(frame, words))
    names = [f"{rng.pick(verbs)} {rng.pick(nouns)}", f"{nouns[0]} {verbs[0]}", f"{verbs[-1]} {nouns[-1]}"]
    return Kind(
        id=f"meant {verbs[0]} {nouns[0]}",
        domain="meanings",
        names=tuple(name.replace(" ", "_").replace("-", "_") for name in names),
        descriptions=tuple(dict.fromkeys(descriptions)),
        slots=tuple(slots),
        asks=tuple(dict.fromkeys(asks)),
        entity=f"meant {nouns[0]}",
        op=f"meant {verbs[0]}",
        lesson=True,
    )


def _fill(frame, words):
    for key, word in words.items():
        frame = frame.replace("{%s}" % key, word)
    return frame


ENTITIES = """
parking_space,parking spot,bay: level:small city:city status:status fee:money
locker,compartment,storage box: room:room holder:person status:status key:code
playlist,mix,set list: title:song owner:person songs:int made:date
album,record,long player: title:song artist:person year:int price:money
podcast,audio show,broadcast: title:topic host:person episodes:int language:language
lecture,talk,presentation: title:topic speaker:person room:room day:day
exam,test paper,assessment: subject:topic teacher:person day:date grade:small
homework,assignment,exercise: subject:topic student:person due:date status:status
scholarship,grant,bursary: student:person amount:money status:status ends:date
tenant,renter,lodger: name:person address:address rent:money since:date
landlord,house owner,proprietor: name:person city:city phone:phone houses:small
lease,rental contract,tenancy: tenant:person rent:money start:date end:date
mortgage,home loan,house credit: holder:person amount:money rate:percent ends:date
policy,insurance,cover: holder:person premium:money status:status expires:date
claim,insurance case,demand: holder:person amount:money status:status filed:date
prescription,medication order,script: patient_name:person drug:hardword dose:small until:date
allergy,intolerance,sensitivity: person:person cause:ingredient level:priority since:date
therapy,treatment,cure: person:person doctor:person sessions:small status:status
ambulance,rescue van,emergency truck: driver:person status:status city:city phone:phone
ward,hospital unit,department: name:team beds:int nurse:person floor:small
menu,bill of fare,food card: name:dish price:money day:day cook:person
waiter,server,steward: name:person shift:clock tables:small phone:phone
kitchen_order,chef ticket,cook slip: dish:dish table:small status:status time:clock
ingredient,foodstuff,component: name:ingredient stock:int supplier:person price:money
wine,vintage,bottle: name:song country:country year:int price:money
tournament,cup,championship: title:title city:city players:int start:date
player,athlete,sportsman: name:person team:team goals:int country:country
referee,umpire,match official: name:person city:city matches:int phone:phone
stadium,arena,sports ground: city:city seats:int owner:person year:int
club,association,society: name:team city:city members:int chair:person
volunteer,helper,unpaid worker: name:person city:city phone:phone hours:int
donor,giver,benefactor: name:person amount:money country:country since:date
shelter,refuge,animal home: city:city places:int manager:person phone:phone
tree,oak,timber plant: kind:ingredient height:int park:city planted:date
field,plot,patch of land: crop:ingredient size:int owner:person status:status
machine_part,spare,component piece: name:product price:money stock:int supplier:person
robot,automaton,mechanical arm: name:first version:version status:status room:room
printer,copier,printing machine: name:first room:room status:status pages:int
laptop,notebook computer,portable: owner:person version:version status:status bought:date
phone_line,extension,telephone number: number:phone owner:person room:room status:status
router,gateway,network box: name:service ip:ip version:version status:status
domain_name,web address,site name: name:host owner:person expires:date status:status
website,homepage,internet site: url:url owner:person visits:int status:status
password_entry,login,credential: site:host owner:person changed:date status:status
token,access key,pass string: service:service owner:person expires:date status:status
role,permission set,access level: name:tag users:int owner:person status:status
policy_rule,guideline,directive: title:topic owner:person status:status since:date
audit,inspection,examination: title:title auditor:person day:date status:status
risk,danger,hazard: title:title priority:priority owner:person status:status
goal,objective,target: title:title owner:person percent:percent due:date
milestone,landmark,stage: title:title project:service due:date status:status
sprint,iteration,work cycle: title:title team:team start:date end:date
epic,theme,big story: title:title owner:person status:status points:int
bug,defect,fault: title:title service:service priority:priority owner:person
feature,capability,function: title:title service:service status:status owner:person
pull_request,change proposal,merge request: title:title author:person branch:branch status:status
pipeline,build chain,delivery line: branch:branch status:status duration:duration owner:person
container,image,virtual box: name:service version:version status:status host:host
cluster,server group,farm: name:service nodes:int city:city status:status
dashboard,overview board,cockpit: title:topic owner:person views:int changed:date
dataset,data collection,corpus: title:topic rows:int owner:person format:format
model,trained network,predictor: name:service version:version accuracy:percent owner:person
experiment,trial,study: title:topic owner:person status:status start:date
paper,publication,scientific article: title:topic author:person year:int pages:int
citation,quotation,reference: author:person title:topic year:int page:int
manuscript,draft book,typescript: title:song author:person pages:int status:status
chapter,part,section: title:topic book:song pages:int author:person
magazine,periodical,journal: title:topic issue:small editor:person price:money
advert,commercial,promotion: title:topic budget:money clicks:int status:status
banner,display ad,web poster: title:topic width:int clicks:int status:status
follower,subscriber,fan: name:person city:city since:date status:status
message,note,communication: sender:person text:sentence day:day status:status
chat,conversation,dialogue: topic:topic owner:person messages:int day:day
forum,board,discussion place: title:topic members:int owner:person posts:int
thread,topic line,discussion: title:topic author:person posts:int status:status
poll,vote,ballot: title:topic votes:int closes:date owner:person
petition,appeal,public request: title:topic signatures:int owner:person closes:date
law,statute,act: title:topic year:int status:status pages:int
court_case,lawsuit,trial: title:title judge:person status:status day:date
witness,onlooker,bystander: name:person phone:phone city:city day:date
fine,penalty,ticket fee: person:person amount:money status:status due:date
visa,entry permit,travel permission: holder:person country:country status:status expires:date
passport,travel document,identity book: holder:person country:country number:code expires:date
suitcase,bag,piece of luggage: owner:person weight:int color:color tag:code
cruise,sea voyage,ship tour: title:song from:city price:money days:small
tour,guided walk,sightseeing trip: title:topic guide:person city:city price:money
guide,tour leader,companion: name:person language:language city:city phone:phone
cabin,hut,chalet: city:city price:money beds:small owner:person
boat,ship,vessel: name:first owner:person harbour:city length:int
drone,unmanned aircraft,quadcopter: name:first owner:person battery_left:percent status:status
container_load,freight,cargo: from:city to:city weight:int status:status
truck,lorry,heavy van: driver:person city:city load:int status:status
driver,chauffeur,motorist: name:person phone:phone license:code city:city
route,itinerary,way: from:city to:city km:int driver:person
toll_station,pay gate,road cashier: city:city fee:money status:status lanes:small
meter,gauge,counter: room:room value:int unit:tag read:date
battery_pack,accumulator,power cell: owner:person level:percent cycles:int status:status
solar_panel,photovoltaic module,sun collector: roof:address output:int status:status built:date
heating_unit,boiler,furnace: room:room degrees:small status:status serviced:date
window_pane,glass sheet,skylight: room:room width:int status:status color:color
artwork,painting,piece of art: title:song artist:person year:int price:money
exhibition,art show,display: title:topic city:city start:date visitors:int
costume,stage outfit,disguise: title:topic size:small color:color actor:person
actor,performer,stage player: name:person city:city phone:phone plays:int
rehearsal,practice run,trial performance: title:song room:room day:day time:clock
ticket_sale,admission,entry pass: event:title price:money buyer:person seat:code
seat,place,chair: row:small number:small holder:person status:status
gift_list,wish list,registry: owner:person items:int event:title date:date
wedding,marriage,bridal party: couple:person city:city guests:int day:date
baby,infant,newborn: name:first weight:number born:date mother:person
school,academy,college: name:team city:city pupils:int head:person
library_card,reader pass,borrower card: holder:person expires:date status:status books:small
loan,credit,advance: holder:person amount:money rate:percent ends:date
share,stock,equity: symbol:ticker owner:person count:int value:money
fund,investment pool,portfolio: name:topic value:money manager:person risk:priority
tax_return,tax declaration,fiscal form: person:person year:int amount:money status:status
receipt,proof of purchase,till slip: shop:title amount:money day:date buyer:person
wallet,purse,money pouch: owner:person balance:money currency:currency status:status
safe,strongbox,vault: room:room owner:person status:status opened:date
guard,watchman,security officer: name:person shift:clock phone:phone gate:small
visitor_log,guest record,entry list: name:person day:day host:person time:clock
key_card,badge,access card: holder:person room:room status:status expires:date
"""

OPS = r"""
approve | approve_%s accept_%s sign_off_%s
d Says yes to a %s. | Approves one %s. | Gives a %s the green light. | Accepts a %s as it is. | Signs a %s off.
a id:code
q approve %s {id} | %s {id} is fine, let it pass | say yes to %s {id} | sign off the %s {id} | green light for %s {id}
reject | reject_%s decline_%s turn_down_%s
d Says no to a %s. | Rejects one %s. | Turns a %s down. | Declines a %s. | Refuses one %s.
a id:code
q reject %s {id} | turn the %s {id} down | no to %s {id} | we do not want %s {id} | decline %s {id}
rename | rename_%s retitle_%s change_%s_name
d Gives a %s another name. | Renames one %s. | Changes what a %s is called. | New title for a %s.
a id:code t:title=name,title,to,new
q rename %s {id} to {t} | call the %s {id} {t} | %s {id} should be named {t} | new title of %s {id}: {t}
move | move_%s relocate_%s send_%s_elsewhere
d Takes a %s to another city. | Relocates one %s. | Changes where a %s belongs. | Moves a %s.
a id:code to:city=city,to,place
q move %s {id} to {to} | %s {id} goes to {to} | relocate the %s {id}, new place {to} | bring %s {id} over to {to}
lock | lock_%s freeze_%s protect_%s
d Keeps a %s from being changed. | Freezes one %s. | Protects a %s against edits. | Makes a %s read-only.
a id:code
q lock %s {id} | nobody may change %s {id} | freeze the %s {id} | protect %s {id} | make %s {id} read-only
unlock | unlock_%s unfreeze_%s open_%s
d Lets a %s be changed again. | Lifts the lock on a %s. | Opens one %s for edits. | Unfreezes a %s.
a id:code
q unlock %s {id} | %s {id} may be edited again | lift the lock on the %s {id} | unfreeze %s {id}
price | price_%s value_%s estimate_%s
d Says what a %s is worth. | Estimates the value of one %s. | Puts a price on a %s. | What one would pay for a %s.
a id:code
q what is %s {id} worth? | estimate the value of %s {id} | put a price on the %s {id} | how much would one pay for %s {id}?
check | check_%s verify_%s validate_%s
d Finds out whether a %s is in order. | Verifies one %s. | Looks for faults in a %s. | Tells whether a %s is valid.
a id:code
q is %s {id} in order? | check the %s {id} | verify %s {id} | is anything wrong with %s {id}? | make sure the %s {id} is right
print | print_%s paper_%s hard_copy_%s
d Puts a %s on paper. | Prints one %s. | Makes a hard copy of a %s.
a id:code
q print %s {id} | %s {id} on paper please | a hard copy of the %s {id} | I need %s {id} in my hand
owner | owner_of_%s whose_%s %s_owner
d Tells whose a %s is. | Owner of one %s. | Who is responsible for a %s. | The person behind a %s.
a id:code
q whose is %s {id}? | who owns the %s {id}? | to whom does %s {id} belong? | person behind %s {id}
sub | subscribe_%s notify_about_%s alert_on_%s
d Tells an address when a %s changes. | Sends news of one %s. | Keeps somebody posted about a %s.
a id:code to:email
q keep {to} posted about %s {id} | tell {to} when %s {id} changes | news of the %s {id} go to {to}
rate | rate_%s score_%s grade_%s
d Says how good a %s is, in points. | Rates one %s. | Gives a %s a score. | Grades a %s.
a id:code n:small=points,score,stars,rating
q give %s {id} {n} points | rate the %s {id} with {n} | {n} stars for %s {id} | I grade %s {id} {n}
merge | merge_%ss join_%ss combine_%ss
d Makes one %s out of two. | Joins two %ss. | Combines a %s with another. | Removes a double %s by uniting both.
a id:code=first,id,a other:code=second,with,b
q merge %s {id} with {other} | %ss {id} and {other} are the same, unite them | join %s {id} and %s {other} | one %s out of {id} and {other}
attach | attach_to_%s add_file_to_%s upload_%s_document
d Adds a document to a %s. | Attaches a file to one %s. | Stores a paper with a %s.
a id:code file:path
q attach {file} to %s {id} | put the document {file} with %s {id} | {file} belongs to the %s {id} | upload {file} for %s {id}
due | set_%s_due deadline_of_%s %s_until
d Sets until when a %s must be done. | Deadline of one %s. | Changes the due date of a %s.
a id:code d:date=date,due,until,deadline
q %s {id} is due on {d} | deadline for the %s {id}: {d} | %s {id} must be ready by {d} | move the due date of %s {id} to {d}
prio | prioritise_%s set_%s_priority urgency_of_%s
d Says how urgent a %s is. | Sets the priority of one %s. | Changes the urgency of a %s.
a id:code p:priority
q %s {id} has {p} priority | set the urgency of %s {id} to {p} | the %s {id} is {p} | make %s {id} {p} priority
newest | newest_%s latest_%s last_%s
d Shows the %s that was added last. | The most recent %s. | Newest of all %ss. | What %s came in last.
q which %s is the newest? | show the latest %s | what was the last %s to come in? | most recent %s?
"""
"""More that one can do with a thing; the last ask of each is trained, too."""

CHEAP = 9
"""Operations that each new thing is crossed with."""


def _names(head):
    return [word.replace("_", " ") for word in head.split(",")]


def records():
    """The new things: their words, and their fields as `(name, type)`."""
    for line in ENTITIES.strip().split("\n"):
        head, _, fields = line.partition(": ")
        yield _names(head), [tuple(part.split(":")) for part in fields.split()]


def crossings():
    """New things with some operations each, and known things with the new operations."""
    classic, fresh = family.blocks(family.OPS), family.blocks(OPS)
    out = []
    for words, _ in records():
        rng = Rng.named("crossings", words[0])
        # The first operation shows a record, which questions about a field need.
        for op in classic[:1] + rng.sample(classic[1:] + fresh, CHEAP):
            out.append(_cross(op, words))
    for line in family.ENTITIES.strip().split("\n"):
        words = [word for word in line.partition(":")[0].split(",") if word]
        if words[0] in family.HELD:
            continue
        rng = Rng.named("crossings", words[0])
        for op in rng.sample(fresh, 7):
            out.append(_cross(op, words))
    return out


def _cross(op, words):
    every = lambda text: [family.plural(part, word) for part in text.split(" | ") for word in words]
    return Kind(
        id=f"{op['op']}_{words[0].replace(' ', '_')}",
        domain="crossings",
        names=tuple(
            family.plural(name, word.replace(" ", "_").replace("-", "_"))
            for name in op["names"]
            for word in words
        ),
        descriptions=tuple(every(op["d"])),
        slots=tuple(slot(part) for part in op.get("a", "").split()),
        asks=tuple(every(op["q"])),
        near=frozenset(
            f"{other}_{words[0].replace(' ', '_')}" for group in ALIKE if op["op"] in group for other in group
        ),
        entity=f"crossed {words[0]}",
        op=f"crossed {op['op']}",
        lesson=True,
    )


ALIKE = (
    family.READS + ("newest", "owner", "check", "price"),
    ("delete", "archive", "reject"),
    ("comment", "tag", "status", "remind", "approve", "reject", "prio", "due", "rate"),
    ("share", "sub", "print"),
    ("copy", "merge"),
    ("lock", "unlock"),
    ("assign", "move", "status"),
)
"""Operations that can stand in for one another on the same thing."""


def widened(kind, other, op):
    """A known kind, crossed, with its thing's other name in descriptions and requests as well."""
    if kind.domain != "things" or not other or not op:
        return kind
    descriptions = kind.descriptions + tuple(family.plural(text, other) for text in op["d"].split(" | "))
    asks = tuple(family.plural(text, other) for text in op["q"].split(" | ")[3:-1]) + kind.asks
    return replace(kind, descriptions=descriptions, asks=asks)
