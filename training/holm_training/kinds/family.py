"""Kinds made by crossing what one can do with what one can do it to: the source of tools that look alike."""

from ..kind import Kind, slot

ENTITIES = """
invoice,bill: customer:person amount:money status:status due:date
ticket,issue: title:title owner:person status:status priority:priority
order,purchase: customer:person product:product total:money status:status
customer,client: name:person email:email city:city tag:tag
employee,colleague: name:person team:team phone:phone start:date
project,: title:title owner:person status:status deadline:date
product,article: name:product price:money stock:int tag:tag
contract,agreement: client:person value:money status:status end:date
meeting,: title:title host:person day:day time:clock
shipment,delivery: receiver:person city:city status:status arrival:date
server,machine: name:service ip:ip status:status version:version
user,account: name:person email:email status:status joined:date
booking,reservation: guest:person room:room day:day nights:small
patient,: name:person phone:phone city:city visit:date
student,pupil: name:person email:email grade:small teacher:person
course,class: title:topic teacher:person room:room day:day
vehicle,car: owner:person color:color km:int inspection:date
book,volume: title:song author:person year:int shelf:code
song,track: title:song artist:person length:duration plays:int
photo,picture: title:topic city:city taken:date tag:tag
article,post: title:topic author:person status:status published:date
comment,remark: author:person text:sentence day:day likes:small
task,chore: title:title owner:person status:status due:date
team,group: name:team lead:person size:small city:city
supplier,vendor: name:person city:city phone:phone rating:small
payment,: payer:person amount:money currency:currency status:status
refund,: customer:person amount:money status:status requested:date
coupon,voucher: code:code percent:percent status:status expires:date
warehouse,depot: city:city capacity:int manager:person phone:phone
sensor,probe: room:room temperature:temp battery:percent status:status
camera,: room:room status:status version:version battery:percent
device,gadget: name:product owner:person status:status version:version
license,permit: holder:person status:status expires:date seats:small
certificate,: holder:person topic:topic issued:date expires:date
event,: title:title city:city day:day guests:int
campaign,: title:topic budget:money status:status start:date
lead,prospect: name:person email:email value:money status:status
newsletter,: title:topic status:status sent:date readers:int
survey,questionnaire: title:topic status:status answers:int closes:date
recipe,: name:dish portions:small minutes:int author:person
workout,training: title:title minutes:int day:day calories:int
flight,: from:city to:city departs:clock status:status
hotel,inn: name:first city:city price:money stars:small
apartment,flat: city:city rent:money rooms:small owner:person
house,building: address:address city:city price:money year:int
plant,: name:ingredient room:room watered:day height:int
animal,pet: name:first owner:person weight:number vet:person
branch,: name:branch author:person commits:int status:status
commit,revision: author:person message:sentence branch:branch day:day
release,: version:version status:status date:date author:person
build,: branch:branch status:status duration:duration version:version
test,check: name:service status:status duration:duration owner:person
alert,alarm: service:service priority:priority status:status time:clock
incident,outage: title:title service:service status:status owner:person
database,: name:table size:int status:status version:version
backup,snapshot: name:table size:int status:status made:date
job,: name:service status:status next:clock owner:person
report,: title:topic author:person status:status pages:int
note,memo: title:topic text:sentence tag:tag made:date
budget,: team:team amount:money spent:money status:status
donation,gift: donor:person amount:money currency:currency day:date
membership,: member:person status:status expires:date fee:money
complaint,grievance: customer:person text:sentence status:status priority:priority
candidate,applicant: name:person email:email team:team status:status
"""

HELD = (
    "sensor",
    "recipe",
    "incident",
    "apartment",
    "coupon",
    "patient",
    "campaign",
    "backup",
    "candidate",
    "vehicle",
)
"""Things whose tools only the evaluation shows."""

OPS = r"""
get | get_%s show_%s %s_details fetch_%s read_%s
d Shows one %s. | Details of a %s by its id. | Returns everything stored about one %s. | Looks at a single %s. | One %s in full. | What is known about a given %s. | The record of a %s.
a id:code
q show me %s {id} | details of %s {id} | what do we know about %s {id}? | open the %s {id} | give me the data of %s {id} | pull up %s {id}
find | find_%s search_%ss lookup_%s query_%ss
d Finds a %s by words. | Searches the %ss. | Looks up which %s fits a text. | Which %s belongs to a name. | Full text search over %ss. | Gets the id of a %s from a name.
a q:person=query,q,text,search
q find the %s of {q} | search the %ss for {q} | is there a %s for {q}? | look up the %s that belongs to {q} | which %s has to do with {q}?
list | list_%ss all_%ss show_%ss %s_list
d Lists all %ss. | Overview of the %ss. | Every %s there is. | Shows the %ss, if wanted by status. | A table of %ss. | What %ss exist. | All %ss, one per line.
a st?:status=status,state,filter
q list the[ {st}] %ss | show all[ {st}] %ss | which[ {st}] %ss are there? | overview of our[ {st}] %ss | give me every[ {st}] %s
count | count_%ss how_many_%ss %s_total
d Counts the %ss. | How many %ss there are. | Number of %ss. | The total of %ss. | Says how large the set of %ss is. | Tally of %ss.
q how many %ss are there? | count the %ss | number of %ss? | do we have many %ss? How many? | total of %ss
delete | delete_%s remove_%s drop_%s erase_%s
d Deletes a %s. | Removes one %s for good. | Takes a %s out of the system. | Erases a %s. | Destroys the record of a %s. | Gets rid of one %s.
a id:code
q delete %s {id} | remove the %s {id} | get rid of %s {id} | %s {id} can go | erase %s {id} from the system
status | set_%s_status update_%s_status change_%s_state mark_%s
d Sets the status of a %s. | Changes the state of one %s. | Marks a %s. | Moves a %s to another state. | Updates how a %s stands. | Writes a new status into one %s.
a id:code st:status=status,state,to,value
q set %s {id} to {st} | mark %s {id} as {st} | the %s {id} is now {st} | change the status of %s {id} to {st} | %s {id}: {st}
assign | assign_%s give_%s_to hand_over_%s
d Assigns a %s to a person. | Makes somebody responsible for a %s. | Hands one %s to a colleague. | Sets the owner of a %s. | Decides who handles a %s. | Puts a person in charge of one %s.
a id:code who:person=person,owner,to,assignee
q assign %s {id} to {who} | {who} takes care of %s {id} | give %s {id} to {who} | make {who} responsible for the %s {id} | hand %s {id} over to {who}
comment | comment_%s add_note_to_%s annotate_%s
d Adds a remark to a %s. | Writes a comment under one %s. | Notes something on a %s. | Attaches text to a %s. | Leaves a note with one %s. | Annotates a %s.
a id:code text:sentence=text,comment,note,remark
q comment on %s {id}: "{text}" | add the remark "{text}" to %s {id} | note on %s {id} that "{text}" | write "{text}" under the %s {id} | annotate %s {id} with "{text}"
tag | tag_%s label_%s add_%s_tag
d Puts a label on a %s. | Tags one %s. | Marks a %s with a keyword. | Attaches a keyword to a %s. | Sorts a %s under a label. | Adds one tag to a %s.
a id:code tag:tag
q tag %s {id} as {tag} | label the %s {id} {tag} | put the tag {tag} on %s {id} | %s {id} gets the label {tag} | mark %s {id} with the keyword {tag}
share | share_%s send_%s mail_%s
d Sends a %s to somebody by mail. | Shares one %s with an address. | Lets another person see a %s. | Mails a %s to an address. | Forwards one %s. | Gives somebody access to a %s.
a id:code to:email
q share %s {id} with {to} | send %s {id} to {to} | mail the %s {id} to {to} | let {to} see %s {id} | forward %s {id} to {to}
export | export_%ss %ss_to_file download_%ss
d Exports the %ss to a file. | All %ss as a download. | Writes the %ss in a file format. | Saves the %ss as a document. | Dumps every %s into a file. | A file with all %ss.
a fmt:format=format,type,as
q export the %ss as {fmt} | download all %ss in {fmt} | I need our %ss as a {fmt} file | %ss to {fmt} please | write the %ss out as {fmt}
copy | copy_%s duplicate_%s clone_%s
d Makes a copy of a %s. | Duplicates one %s. | A second %s like the first. | Clones a %s. | Repeats an existing %s under a new id. | Twin of one %s.
a id:code
q copy %s {id} | duplicate the %s {id} | clone %s {id} | make a second one of %s {id} | I want another %s just like {id}
archive | archive_%s store_%s shelve_%s
d Puts a %s into the archive. | Archives one %s. | Stores a %s away without deleting it. | Moves a %s out of sight but keeps it. | Shelves one %s. | Retires a %s to the archive.
a id:code
q archive %s {id} | put %s {id} into the archive | shelve the %s {id} | %s {id} belongs in the archive | store %s {id} away
restore | restore_%s undelete_%s bring_back_%s
d Brings a deleted %s back. | Restores one %s. | Undoes the deletion of a %s. | Recovers a %s from the bin. | Makes a removed %s visible again. | Undeletes one %s.
a id:code
q restore %s {id} | bring %s {id} back | undelete the %s {id} | I deleted %s {id} by mistake, recover it | get %s {id} back from the bin
history | %s_history %s_changes audit_%s
d Shows who changed a %s. | History of one %s. | Earlier states of a %s. | Past changes of a %s. | Audit trail of one %s. | What happened to a %s over time.
a id:code
q who changed %s {id}? | history of %s {id} | what happened to %s {id} in the past? | earlier versions of %s {id} | audit %s {id}
remind | remind_about_%s watch_%s follow_%s
d Reminds of a %s on a day. | Follows up on one %s. | Sets a reminder for a %s. | Comes back to a %s later. | Alerts the user about one %s on a day. | Puts a %s on watch until a day.
a id:code day:day=day,when,date,on
q remind me of %s {id} {day} | follow up on %s {id} {day} | I want to look at %s {id} again {day} | %s {id} again {day}, remind me | watch %s {id} and tell me {day}
"""

READS = ("get", "find", "list", "count", "history", "export")
"""Operations that can stand in for one another: shown together, but not where nothing is to fit."""


def kinds():
    """Every operation on every thing, and creation by each thing's own fields."""
    out = []
    for line in ENTITIES.strip().split("\n"):
        head, _, fields = line.partition(": ")
        entity, _, other = head.partition(",")
        for op in blocks(OPS):
            out.append(_cross(op, entity, other))
        out.append(_create(entity, other, fields.split()))
    return out


def fields(entity):
    """The fields of a thing as `(name, type)`."""
    for line in ENTITIES.strip().split("\n"):
        head, _, rest = line.partition(": ")
        if head.split(",")[0] == entity:
            return [tuple(part.split(":")) for part in rest.split()]
    raise KeyError(entity)


def blocks(text):
    """The operations of a text, each with its names, descriptions, slots and asks."""
    ops, block = [], None
    for line in text.strip().split("\n"):
        mark, _, rest = line.partition(" ")
        if mark in ("d", "a", "q"):
            block[mark] = rest
        else:
            block = {"op": mark, "names": rest.lstrip("| ").split()}
            ops.append(block)
    return ops


def plural(text, word):
    """Puts a word into a pattern, with its plural where the pattern has `%ss`."""
    many = (
        word[:-1] + "ies"
        if word.endswith("y") and word[-2] not in "aeiou"
        else word + ("es" if word.endswith(("s", "ch", "x")) else "s")
    )
    text = text.replace("%ss", many).replace("%s", word)
    return text.replace(f" a {word}", f" an {word}") if word[0] in "aeio" else text


def _cross(op, entity, other):
    words = [entity] + ([other] if other else [])
    asks = [plural(ask, entity) for ask in op["q"].split(" | ")]
    if other:
        asks = [plural(ask, other) for ask in op["q"].split(" | ")[:3]] + asks
    near = {f"{name}_{entity}" for name in READS if op["op"] in READS and name != op["op"]}
    if op["op"] in ("delete", "archive"):
        near = {f"{name}_{entity}" for name in ("delete", "archive") if name != op["op"]}
    if op["op"] in ("comment", "tag", "status", "remind"):
        near = {f"{name}_{entity}" for name in ("comment", "tag", "status", "remind") if name != op["op"]}
    return Kind(
        id=f"{op['op']}_{entity}",
        domain="things",
        names=tuple(plural(name, entity) for name in op["names"]),
        descriptions=tuple(plural(text, word) for text in op["d"].split(" | ") for word in words[:1]),
        slots=tuple(slot(part) for part in op.get("a", "").split()),
        asks=tuple(asks),
        near=frozenset(near),
        entity=entity,
        op=op["op"],
    )


def _create(entity, other, parts):
    (first, kind1), (second, kind2) = (part.split(":") for part in parts[:2])
    slots = (slot(f"{first}:{kind1}={first}"), slot(f"{second}?:{kind2}={second}"))
    asks = (
        f"create a %s, {first} {{{first}}}[, {second} {{{second}}}]",
        f"new %s: {first} {{{first}}}[, {second} {{{second}}}]",
        f"add a %s with {first} {{{first}}}[ and {second} {{{second}}}]",
        f"make a new %s with the {first} {{{first}}}[ and the {second} {{{second}}}]",
        f"register a %s: {first} is {{{first}}}[, {second} is {{{second}}}]",
        f"we need another %s, {first} {{{first}}}[, {second} {{{second}}}]",
    )
    names = ("create_%s", "add_%s", "new_%s", "register_%s")
    descriptions = (
        "Creates a %s.",
        "Adds a new %s to the system.",
        "Registers one more %s.",
        "Makes a %s that did not exist before.",
        "Opens a fresh record for a %s.",
        "Enters one new %s.",
        "Sets up a %s from its data.",
    )
    return Kind(
        id=f"create_{entity}",
        domain="things",
        names=tuple(plural(name, entity) for name in names),
        descriptions=tuple(plural(text, entity) for text in descriptions),
        slots=slots,
        asks=tuple(plural(ask, entity) for ask in asks),
        near=frozenset({f"copy_{entity}"}),
        entity=entity,
        op="create",
    )
