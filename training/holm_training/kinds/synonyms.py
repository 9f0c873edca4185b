"""Things and deeds that go by several words: the request uses one, the description another, and they mean the same.

A reader that has only ever seen the same word on both sides learns to compare letters; these teach it to compare meanings.
"""

NOUNS = """
sofa,couch,settee~a seat for several people
fridge,refrigerator,icebox~the machine that keeps food cold
stove,cooker,hob~the thing that one cooks on
wardrobe,closet,clothes cupboard~where clothes hang
rug,carpet,floor mat~what lies on the floor
bike,bicycle,push-bike~two wheels with pedals
lorry,truck,heavy goods van~what carries goods on the road
boat,ship,vessel~what sails on water
plane,aircraft,aeroplane~what flies with wings
motorbike,motorcycle,moped~two wheels with an engine
cellar,basement,downstairs store~the room below the house
loft,attic,top floor~the room under the roof
yard,courtyard,backyard~the open space behind a house
bin,trash can,dustbin~where rubbish goes
tap,faucet,spigot~where water comes out
lift,elevator~what takes people between floors
pavement,sidewalk,footpath~where people walk beside a road
lamp,light fixture,luminaire~what makes light in a room
torch,flashlight,pocket light~a light for the hand
curtain,drape,window cloth~what hangs before a window
cushion,pillow,headrest~something soft for the head
blanket,quilt,duvet~what keeps a sleeper warm
mug,cup,beaker~what one drinks coffee from
jug,pitcher,carafe~what water is poured from
plate,dish,platter~what food lies on
cutlery,silverware,tableware~knives, forks and spoons
kettle,water boiler~what heats water for tea
oven,baking stove,roaster~where bread is baked
broom,sweeper,floor brush~what one sweeps with
rope,cord,line~something long to tie with
box,crate,carton~something to pack things in
bag,sack,pouch~something soft to carry things in
suitcase,luggage,baggage~what a traveller packs
backpack,rucksack,knapsack~a bag for the back
purse,wallet,billfold~where money is carried
coat,overcoat,jacket~what one wears in the cold
trousers,pants,slacks~clothes for the legs
sweater,jumper,pullover~a warm knitted piece of clothing
shoes,footwear,boots~what feet wear
glasses,spectacles,eyewear~what helps one to see
ring,band,circlet~jewellery for a finger
necklace,chain,pendant~jewellery for the neck
watch,wristwatch,timepiece~what shows the time on the arm
umbrella,brolly,rain shade~what keeps the rain off
toy,plaything,doll~what a child plays with
game,match,contest~something that is played to win
puzzle,riddle,brain teaser~something to work out
ball,sphere,globe~something round
tent,marquee,canvas shelter~a house of cloth
hammer,mallet,gavel~what drives in nails
spanner,wrench,nut key~what turns nuts
drill,boring machine,borer~what makes holes
saw,cutting blade,hacksaw~what cuts wood
glue,adhesive,paste~what makes things stick
paint,varnish,coating~colour for a wall
fence,railing,barrier~what stands around a garden
gate,entrance,doorway~the way in
wall,partition,divider~what stands between two rooms
roof,rooftop,housetop~the top of a house
window,pane,skylight~glass in a wall
stairs,steps up,staircase~the way between floors
chimney,smokestack,flue~where smoke leaves
heater,radiator,warm-air unit~what makes a room warm
fan,ventilator,blower~what moves air
pipe,tube,conduit~what water runs through
pump,water mover,compressor~what moves water
engine,motor,drive~what makes a machine run
wheel,tyre,roller~the round part that turns
brake,stopper,braking system~what slows a machine
cable,wire,lead~what carries current
socket,outlet,power point~where a plug goes
switch,toggle,push button~what turns something on and off
screen,display,monitor~what shows pictures
keyboard,keypad,typing board~what one types on
mouse,pointer,trackpad~what moves the arrow
printer,printing machine,label maker~what puts text on paper
laptop,notebook computer,portable~a computer to carry
phone,handset,mobile~what one talks through at a distance
headset,earphones,headphones~what one hears music with
microphone,mike,voice pickup~what takes up a voice
speaker,loudspeaker,sound box~what makes sound
router,gateway box,access point~what brings a home onto the internet
drive,disk,storage medium~where data is kept
folder,directory,file cabinet~where files lie
archive,repository,vault~where old things are kept
website,web page,internet site~something to see in a browser
link,hyperlink,web address~what leads to a page
picture,image,photograph~something to look at
drawing,sketch,illustration~something drawn by hand
painting,canvas,artwork~something painted
film,movie,motion picture~what a cinema shows
clip,video,footage~moving pictures
song,track,tune~something to listen to
melody,theme,air~notes that one can hum
concert,recital,gig~music before people
podcast,audio show,radio talk~a talk to listen to
book,volume,paperback~something to read
magazine,journal,periodical~something that is printed every month
newspaper,daily,gazette~something that is printed every day
story,tale,narrative~something that is told
poem,verse,ballad~lines that sound well
essay,paper,composition~a text on a subject
article,piece,column~a text in a paper
chapter,section,part~a part of a book
paragraph,passage,block of text~some sentences that belong together
sentence,phrase,line of text~words up to a full stop
word,term,expression~a few letters with a meaning
letter,epistle,written message~what the post brings
envelope,cover,wrapper~what a letter is in
stamp,postage mark,franking~what is stuck on a letter
diary,journal book,logbook~where days are written down
calendar,schedule,timetable~what shows the days to come
appointment,date,engagement~a time to meet somebody
gathering,assembly,get-together~people who come together
conference,congress,symposium~many experts in one place
workshop,seminar,hands-on class~where people learn by doing
lesson,class,tutorial~where a teacher explains
exam,test paper,assessment~what shows what was learned
homework,assignment,exercise~what pupils do after school
grade,mark,score~how good somebody was
diploma,degree,qualification~what one gets after studies
teacher,instructor,tutor~somebody who explains
pupil,learner,trainee~somebody who learns
doctor,physician,medic~somebody who heals
nurse,caregiver,carer~somebody who looks after the sick
lawyer,attorney,solicitor~somebody who knows the law
judge,magistrate,arbiter~somebody who decides a case
boss,manager,supervisor~somebody who leads
worker,labourer,hand~somebody who works
colleague,coworker,teammate~somebody one works with
guest,visitor,caller~somebody who comes to see one
neighbour,resident next door~somebody who lives close by
friend,buddy,pal~somebody one likes
child,kid,youngster~a young person
baby,infant,newborn~a very young person
dog,hound,puppy~an animal that barks
cat,kitten,feline~an animal that purrs
horse,mare,steed~an animal to ride
cow,cattle,ox~an animal that gives milk
bird,fowl,winged animal~an animal with feathers
fish,trout,sea animal~an animal that swims
insect,bug,beetle~a small animal with six legs
tree,oak,timber plant~a tall plant
flower,blossom,bloom~the pretty part of a plant
bush,shrub,hedge plant~a low plant with many branches
lawn,grass,turf~the green before a house
seed,grain,kernel~what a plant grows from
soil,earth,ground~what plants stand in
field,meadow,pasture~open land
forest,wood,woodland~many trees
hill,mound,slope~a small mountain
lake,pond,pool~still water
river,stream,creek~running water
beach,shore,seaside~sand beside the sea
island,isle~land with water around it
harbour,port,dock~where ships lie
bridge,crossing,overpass~the way over a river
road,street,lane~where cars drive
crossroads,junction,intersection~where two roads meet
station,terminal,stop~where trains halt
airport,airfield,runway~where planes land
shop,store,boutique~where things are sold
market,bazaar,fair~where many sell
factory,plant hall,works~where things are made
office,workplace,bureau~where people work at desks
bank,savings house,credit institute~where money is kept
hospital,clinic,infirmary~where the sick are healed
school,academy,college~where children learn
church,chapel,house of worship~where people pray
hotel,guesthouse,lodge~where travellers sleep
inn,tavern,pub~where people drink and eat
bakery,bread shop,patisserie~where bread is sold
kitchen,cookhouse,galley~where meals are made
meal,dinner,supper~what one eats in the evening
snack,bite,titbit~something small to eat
cake,tart,gateau~something sweet from the oven
bread,loaf,baguette~what a baker makes
sweets,candy,treats~something sweet for children
drink,beverage,refreshment~something against thirst
wine,vintage,red or white bottle~what is made from grapes
beer,ale,lager~what is brewed
medicine,drug,remedy~what helps against an illness
pill,tablet,capsule~medicine to swallow
bandage,dressing,plaster~what covers a wound
illness,disease,sickness~what makes one feel bad
wound,injury,cut~where the skin is hurt
pain,ache,soreness~what hurts
diet,eating plan,food regime~what somebody may eat
workout,training session,exercise round~what makes one fit
race,run,sprint~who is fastest
team,squad,crew~people who work together
club,society,association~people with the same hobby
company,firm,business~people who earn money together
customer,buyer,shopper~somebody who buys
seller,vendor,dealer~somebody who sells
tenant,renter,lodger~somebody who pays rent
landlord,owner,proprietor~somebody who has a house
salary,wage,pay~money for work
price,cost,charge~what one pays for something
bill,invoice,statement of charges~a paper that says what to pay
receipt,proof of purchase,till slip~a paper that says what was paid
tax,levy,duty~money for the state
loan,credit,advance~money to give back later
debt,liability,amount owed~what somebody still owes
fine,penalty,sanction~money for breaking a rule
discount,rebate,price cut~less money to pay
gift,present,donation~something given for nothing
prize,award,trophy~what the best one gets
order,purchase,commission~what somebody wants to have
delivery,shipment,consignment~what is brought
warehouse,depot,storehouse~where goods lie
stock,inventory,supply~what is there to be sold
goods,merchandise,wares~things for sale
brand,make,label~the name of a maker
offer,proposal,bid~what somebody would do for a price
contract,agreement,deal~what two sides have signed
law,statute,act~what the state orders
rule,regulation,guideline~what one has to keep to
permit,licence,authorisation~a paper that allows something
passport,travel document,identity paper~what one shows at a border
form,questionnaire,sheet to fill in~a paper with questions
report,account,write-up~a text on what happened
summary,abstract,digest~a long text made short
list,register,roster~things one below the other
table,grid,matrix~rows and columns
chart,graph,diagram~numbers as a picture
map,plan,street atlas~land as a picture
photo album,picture book,scrapbook~many photos together
slide,presentation page,transparency~one page of a talk
speech,talk,address~what somebody says before people
debate,discussion,argument~people with other opinions
interview,conversation,hearing~questions and answers
complaint,grievance,objection~what somebody is angry about
question,query,enquiry~what somebody wants to know
answer,reply,response~what is said back
hint,tip,clue~something that helps to find out
mistake,error,slip~something that went wrong
bug,defect,fault~what is wrong in a program
crash,breakdown,failure~when a machine stops
warning,alert,caution~what tells of a danger
rumour,gossip,hearsay~what people tell
secret,confidence,private matter~what nobody may know
promise,pledge,vow~what somebody said to do
plan,scheme,blueprint~how something shall be done
goal,target,objective~what one wants to reach
task,chore,job to do~what must be done
project,undertaking,venture~work with a beginning and an end
deadline,due date,time limit~when it must be done
budget,spending plan,funds~how much may be spent
journey,trip,voyage~when one travels
holiday,vacation,getaway~days without work
party,celebration,feast~people who are merry
wedding,marriage,bridal day~when two people say yes
birthday,anniversary,jubilee~a day that comes back each year
funeral,burial,memorial~the last farewell
festival,carnival,open-air days~days of music and dance
theatre play,drama,stage show~what actors show
exhibition,show,display of art~things to look at in a museum
statue,sculpture,monument~a figure of stone
ticket,entry pass,admission card~a paper that lets one in
seat,place,chair~where one sits
queue,line of people,row~people who wait
key,latchkey,door opener~what opens a lock
lock,bolt,padlock~what keeps a door shut
badge,name tag,identity card~what shows who one is
uniform,work clothes,outfit~clothes for a job
helmet,hard hat,head guard~what keeps a head safe
weapon,arm,rifle~what soldiers carry
fire,blaze,flames~what burns
smoke,fumes,haze~what rises from a fire
storm,gale,hurricane~very strong wind
rain,shower,downpour~water from the sky
snow,sleet,flurry~white flakes from the sky
ice,frost,glaze~frozen water
sunshine,daylight,rays~warm light from the sky
star,sun,celestial body~what shines at night
planet,world,heavenly body~what turns around a star
rocket,launcher,spacecraft~what flies to the moon
robot,automaton,android~a machine that moves by itself
program,software,application~what runs on a computer
script,macro,batch job~a few commands in a file
function,routine,procedure~a part of a program
variable,parameter,field value~a name for a value in code
library,module,package~code made by others
version,edition,release~one state of a program
branch line,fork,side track~work beside the main work
server,host machine,node~a computer that serves others
cluster,server group,farm~many computers that work as one
container,image box,virtual machine~a small closed computer inside another
database,data store,repository of records~where records are kept
record,entry,row~what is known about one thing
index,catalogue,directory of terms~what helps to find things
queue of jobs,backlog,waiting list~work that waits
token,access key,secret string~what lets a program in
account,profile,login~what a person has on a site
role,position,function in a firm~what somebody is in charge of
group,circle,community~people who belong together
message,notice,communication~what is sent to somebody
mail,post,correspondence~letters
channel,chat room,discussion space~where a group writes
comment,remark,note below~what somebody added
review,critique,evaluation~what somebody thinks of it
rating,stars,points~how good people find it
tag,keyword,marker~a word that sorts something
filter,sieve,strainer~what lets only some things through
template,pattern,form letter~a text to be filled in
setting,preference,option~what a user can choose
theme,skin,look~how a program appears
notification,push message,ping note~what a phone shows suddenly
subscription,membership plan,standing order~what is paid each month
forecast,prediction,outlook~what will probably come
experiment,trial,study~how scientists find out
sample,specimen,piece to examine~a little of something
measurement,reading,gauge value~a number from a device
formula,equation,rule in symbols~how to compute something
number,figure,digit~what one counts with
angle,slant,tilt~how far something leans
crop,harvest,yield~what a field gives
herd,flock,drove~many animals together
barn,stable,shed~where animals stand
tractor,farm machine,harvester~what drives over a field
beehive,apiary,bee box~where bees live
well,borehole,water hole~where water comes from the ground
dam,weir,barrage~what holds a river back
tunnel,underpass,passage~a way under the ground
mine,pit,quarry~where stone is dug
cave,cavern,grotto~a hole in a mountain
"""

VERBS = """
polish,shine,buff~makes {x} glossy
repair,fix,mend~makes {x} work again
rent out,let out,lease out~gives {x} away for a time and for money
weigh,put on the scales~finds out how heavy {x} is
paint,colour~gives {x} a new colour
measure,gauge~finds out how large {x} is
wrap up,pack up~puts paper around {x}
dry,dehydrate~takes the water out of {x}
cool,chill~makes {x} cold
heat,warm up~makes {x} warm
sharpen,whet~makes {x} sharp
fold,crease~lays {x} together
sell,put up for sale~gives {x} to somebody for money
donate,give away~gives {x} to somebody for nothing
lend,loan~gives {x} to somebody who brings it back
insure,underwrite~pays if something happens to {x}
inspect,examine,look over~looks closely at {x}
photograph,take a picture of~makes a photo of {x}
try out,test~finds out whether {x} works
calibrate,adjust~makes {x} exact
clean,wash,scrub~takes the dirt off {x}
recycle,reuse~makes something new out of {x}
hide,conceal~keeps {x} from being seen
ship,send off,dispatch~brings {x} on its way
open,unlock~makes {x} accessible
close,shut~makes sure that {x} is not open
start,launch,set going~brings {x} into motion
stop,halt,bring to a standstill~makes {x} stand still
pause,suspend,put on hold~lets {x} rest for a while
resume,continue,carry on with~goes on with {x} after a break
rate,grade,score~says how good {x} is
record,tape~keeps the sound of {x}
reserve,book,set aside~keeps {x} free for somebody
renew,prolong,extend~lets {x} last longer
upgrade,modernise~brings {x} up to date
assemble,put together~builds {x} from its parts
dismantle,take apart~breaks {x} into its parts
replace,swap,exchange~puts another in the place of {x}
decorate,adorn~makes {x} pretty
stack,pile up~lays one {x} on another
track,trace,follow~knows where {x} is at any time
locate,find,hunt down~says where {x} is
appraise,value,estimate the worth of~says what {x} is worth in money
park,leave standing~finds a place where {x} can stay
tune,fine-tune~makes {x} sound or run well
melt,liquefy~makes {x} liquid
stir,shake,mix up~moves {x} about
slice,cut,chop~divides {x} with a knife
sew,stitch~works on {x} with needle and thread
buy,purchase,get~gets {x} for money
return,send back,give back~brings {x} back to where it came from
unpack,unwrap~takes {x} out of its box
lift,raise,hoist~brings {x} higher
lower,let down,drop~brings {x} further down
move,shift,relocate~brings {x} to another place
describe,portray,characterise~tells what {x} is like
name,christen,title~gives {x} a name
rename,call differently~gives {x} another name
number,put numbers on~gives {x} a number
inflate,pump up,blow up~fills {x} with air
empty,drain,clear out~takes everything out of {x}
fill,top up,load~puts something into {x}
disinfect,sterilise~kills the germs on {x}
collect,pick up,fetch~gets {x} from where it is
deliver,bring,hand over~takes {x} to somebody
display,exhibit,show off~lets people see {x}
store,put away,stow~keeps {x} somewhere safe
borrow,take for a while~gets {x} and gives it back later
approve,sign off,give the green light to~says yes to {x}
reject,turn down,decline~says no to {x}
cancel,call off,scrap~makes sure that {x} does not happen
postpone,put off,delay~moves {x} to a later time
announce,proclaim,make public~tells everybody of {x}
advertise,promote,publicise~makes {x} known so that people want it
translate,put into another language~says {x} in another language
summarise,sum up,condense~says {x} in few words
proofread,correct,check the spelling of~looks for mistakes in {x}
publish,release,bring out~lets everybody read or have {x}
withdraw,take back,recall~takes {x} out of use
encrypt,scramble,encode~makes {x} unreadable for others
share,pass on,circulate~lets others have {x}
copy,duplicate,clone~makes a second {x}
delete,erase,wipe~makes {x} vanish for good
restore,recover,bring back~makes {x} exist again after it was gone
compress,squeeze,shrink~makes {x} smaller
enlarge,magnify,blow up large~makes {x} bigger
count,tally,number up~says how many {x} there are
sort,arrange,put in order~brings order into {x}
search,look through,comb~looks for something in {x}
label,tag,mark~puts a word on {x}
split,divide,cut in two~makes two out of {x}
merge,join,unite~makes one out of several
protect,guard,shield~keeps {x} from harm
lock up,secure,bolt~makes sure that nobody gets at {x}
monitor,watch,keep an eye on~looks at {x} all the time
report,notify about,flag~tells the right people of {x}
review,assess,evaluate~gives an opinion on {x}
schedule,plan,fix a time for~says when {x} will be
assign,allot,hand out~says who gets {x}
transport,carry,haul~takes {x} over a distance
import,bring in,take over~gets {x} from elsewhere into the system
export,take out,write out~gets {x} out of the system
connect,link up,hook up~joins {x} with something
disconnect,unplug,cut off~parts {x} from what it hangs on
mute,silence,hush~makes {x} quiet
amplify,boost,make louder~makes {x} stronger
repaint,refresh the colour of~gives {x} its colour back
plant,sow,set into the ground~puts {x} into soil
water,sprinkle~gives {x} something to drink
feed,give food to~gives {x} something to eat
train,teach,coach~makes {x} better by practice
hire,employ,take on~gives {x} work
dismiss,fire,let go~ends the work of {x}
invite,ask to come~asks {x} to be there
greet,welcome,say hello to~is friendly to {x} on arrival
thank,say thanks for~says how good {x} was
pay for,settle,cover the cost of~gives the money for {x}
refund,give the money back for~pays back what {x} cost
"""


def groups(text):
    """The lines as `(words, gloss)`."""
    out = []
    for line in text.strip().split("\n"):
        words, _, gloss = line.partition("~")
        out.append((words.split(","), gloss))
    return out
