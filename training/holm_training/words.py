"""Common words, so that copying and matching are learned on many and not on few."""

THINGS = """accordion airplane amplifier antenna apron aquarium armchair awning axe backpack badge balcony ball balloon banjo banner barrel basin bathtub battery bead
beam bed bell belt bench bicycle billboard binder blade blanket blender boat boiler bolt boot bottle bowl bracelet brick broom brush bucket buggy bumper bus button cabin
cabinet cable cactus cake camera candle canoe canvas carpet carriage cart case cauldron ceiling cello chain chair chandelier chest chimney chisel cigar clarinet cloak
clock coat coffin coin collar comb compressor computer conveyor cot couch cradle crane crate crown cup curtain cushion cymbal dart desk dishwasher doll door drawer dress
drone drum easel elevator engine envelope fan faucet fence fiddle filter flag flashlight flute fork fountain frame freezer fridge funnel furnace garage gate generator
glove goblet grill guitar gutter hammock handle harness harp hat hedge heater helmet hinge hook hose hourglass igloo jar jeep jersey jug kayak kettle keyboard kite knife
knob ladder lamp lathe lawn lens lever lid lock locker loom magnet mailbox mask mat mattress medal microphone microscope mill mirror mixer monitor mop motorcycle mug
napkin necklace net nozzle oar oven paddle pan panel parachute pedal pendulum perfume piano pillow pipe plane plate plow pot printer projector propeller pulley pump
puppet purse puzzle quilt raft rail rake razor robe robot rocket roof rope rudder rug sail sandal satellite saw scarf scissors scooter screen sculpture shed shelf shield
shirt shovel shower shutter siren skate sled sleeve slipper sofa spade speaker spear sponge spoon stapler statue stove strap straw suitcase sweater switch sword table
tablet tank tap tapestry tent thermostat tie tire toaster toolbox torch towel tower tractor trailer train tray tricycle trolley trophy trumpet trunk tub turbine typewriter
vase vault vest wagon wallet wardrobe washer watch wheel whistle wig windmill wire wreath yacht""".split()
OTHERS = """absence accent account acid actor advice affair agency agent alarm album alley amber angle ankle answer anthem apology appeal arena army arrow artist aspect
asset atlas attack aunt author autumn avenue award bacon badger bakery bamboo barley baron basil battle beach bear beard beauty berry bishop bison blossom bonus border
botany bottom brain branch brass bravery breeze bronze brook bubble buffalo bullet burden butter cabbage camel campus canal canyon capital caravan carbon career cargo carrot
castle cavern cedar cello cement census center cereal chalk chance chapel charm cherry chorus cinema circle citizen climate clinic clover coast cobalt coffee colony comedy
comet comfort concert copper coral corner cotton council county courage cousin cradle credit cricket crystal culture custom dagger daisy danger debate decade degree
delta desert design dessert device diamond diet dinner diploma divide doctor dollar dolphin domain donkey double drama dream driver duty eagle early earth easter echo
edge editor effort eight elbow elder elephant elm ember emotion empire energy enigma entry epoch escape estate ethics evening event excuse exile expert fabric factor
faith family fashion father fault fever fiction field figure finger flavor flight flower foliage folk forest formula fortune fossil fox freedom friend frost fruit
future galaxy gallery game garlic gather genius gentle ghost giant ginger giraffe glory goal gold goose gospel grain granite grape grass gravity group growth guard guest
guide habit hall harmony hazel health heart heaven heron hero hill honey honor horizon horse hotel humor hunter iceberg idea image impact income infant insect instinct
interest iron ivory ivy jasmine jewel joke journey joy judge jungle jury justice kingdom kitten knight knowledge labor language lark laser laurel lawyer leader leaf
lecture legend lemon leopard lesson liberty lily limit linen lion liquid lizard logic lotus luck lumber lunar lunch luxury machine magic maple marathon market master
meadow meaning melody member memory mercury mercy metal method middle mineral minute miracle mission moment monkey monsoon moral morning moss moth motion mother motor mouse
movie muscle museum mystery myth nation nature nerve nickel night noble noise north novel number oak oasis object ocean office olive onion opera option oracle orbit organ
origin otter outcome owl oxygen oyster pace palace palm panther parade parent parrot party patience pattern peace pearl penguin pepper permit petal phantom phoenix physics
pilgrim pilot pine pioneer pirate planet plastic plaza plum poet poetry poison polar policy pony poppy portal portrait potato powder prairie prayer pride prince prize
profit promise proverb public pumpkin puppy purple quality quartet queen quest quiet rabbit radar radio raven reason rebel record reform region relief remedy rescue reward
rhythm rice riddle ritual rival robin rocket rose royal ruby rumor saffron saga sailor saint salad salmon salt sapphire satin savanna scandal scholar science season secret
senate sequel servant shadow shark shell sheriff signal silence silk singer sister sketch skill slate smile smoke snow soap society soldier song source south spark sparrow
spice spider spirit spring squirrel stadium stage stone storm story strategy stream street studio sugar sultan summer sunset surface swan symbol system talent tempest temple
tennis texture theater theory thunder tiger timber tobacco tomato topaz torch tourist trade treasure treaty tribe trick triumph truth tulip turtle twilight twin valley vanilla
velocity venture verdict victory village vine vinegar violet virtue vision volcano voyage walrus warrior water wealth weather wedding wheat whisper willow winner wisdom wizard
wolf wonder world worry yogurt youth zebra zenith""".split()

LESSONS = """abbey abyss acorn acrobat adapter adobe aerial agony aide alcove almanac almond alpine amulet anchor angel anise antler anvil apricot arcade archer arctic armor aroma ash
aspen aster atom attorney audit aurora avocado axle azure baboon bagel ballad ballot banana bandit banker banquet barber bark barn barrier basalt bass bat bay bazaar beaver bee beet
belfry beret beverage bias bible birch biscuit blaze blimp blizzard bloom blouse blur bobcat bonfire bonnet bookend boulder bouquet bow boxer bramble bread breakfast breath brewery
bridle brigade broccoli brochure bruise buckle bud buffer bugle bulb bull bungalow bunker buoy burrow butler butterfly buzzard cafe cage calf caliper camp canary cannon cap captain
caramel cardigan caribou carnation carol cartoon carver cashew casino cassette catfish cave celery cellist chalet chameleon champion chariot charter cheddar cheek cheetah chef cherub
chestnut chili chimp chin choir cider cinder cinnamon citadel citrus clam clan clay cleaver clerk cliff cloud clown coal cobra cobweb cocoa coconut cod coil colander colt column
commander condor confetti contour cookie copper cork cornet cosmos cot cottage cougar cove cowboy coyote crab cracker crater crayon creek crescent crest crew crib crimson crocus crow
crumb crust cube cuckoo cucumber cuff curb curry cushion cyclone cypress dairy dam dawn deck deer den dentist detour dew dial dice diesel dime diner dinosaur dipper ditch diver dock
dome domino dove dragonfly drawer drift drizzle drumstick duchess duck duet duke dune dusk dust dwarf dynasty easel ebony eclipse eel egret elk elm emblem emerald emu ensign envoy
equator ermine espresso essay eucalyptus ewe excursion fable facade falcon farmer fawn feast fern ferret ferry fez fiddle fig filament finch fir firefly fjord flamingo flannel flask
fleece flint flock flood floor flour flow fog foil footpath forge fortress foundry fowl freckle freight fresco frigate frog fudge fungus fur furrow gable galleon gander gardener garnet
gazelle gazette gem geyser gibbon gill glade glaze glen glider gnat gnome goat goblin goggles golf gondola gong gopher gorge gorilla gourd gown granary grape gravel grove guava gull
gum gypsum hail halo hamlet hamster hangar hare harpoon harvester hatch hawk hay hazelnut headland hearth heath hedgehog helm hemp herb herd hermit hickory hill hive hoe hollow holly
homestead hood hoof horn hornet hound hub hull husk hut hyena ibis icicle idol igloo iguana incense inkwell inlet isle jackal jade jaguar jam jaw jay jetty jigsaw jockey juice jug
juggler kale kangaroo keel kelp kennel kernel kiln kilt kimono kiosk kiwi knapsack knot koala lace lad lake lamb lance landmark lane lapel lard larva lasso latch lava lavender leather
ledge leek lemur lens lentil lettuce levee lichen lilac limb lime limpet linden liner lintel lipstick llama loaf lobby lobster locket loft log lollipop loon lute lynx mace mackerel
magpie mallard mallet mammoth mandarin mango manor mantle marigold marina marsh mast meadowlark melon mermaid mesa meteor mica midge mime mink minnow mint minstrel mitten moat mole
moose mop mortar mosque moth mule mural muse mushroom mussel mustard myrtle nail napkin narwhal nest nettle newt nightingale noodle nook nougat nugget nun nutmeg nymph oasis oat oboe
ocelot octopus olive omelet onyx opal orca orchestra ore osprey ostrich otter outpost oven owl oxide paddock pagoda palette palm pancake panda pansy papaya paprika parasol parish
parsley parsnip pasture pastry patio pavilion paw pea peacock peak pear pecan pelican penny peony perch periscope petunia pheasant piccolo pickle pier pigeon pigment pike pinecone pint
pivot plaid plank plateau platinum plaster pleat plinth plume plywood pod pollen pomelo pond poodle poplar porcelain porch porcupine porridge porter poster pottery prawn prism prune
puddle puffin pulp puma pumice pylon python quail quarry quay quill quince quiver raccoon radish raft raisin ram ramp ranch raspberry rattle ravine ray reed reef reindeer resin rhino
rhubarb ridge rim rink roach roast robe rod rooster root rosemary rowan rudder ruin rum rune rye saber saffron sage salamander salon sand sandal sapling sardine sash satchel sauce
sausage scallop scarecrow scepter scone scorpion scout screw scroll seal seaweed seed serpent sesame shack shale shamrock shawl sheep shelter sherry shoal shrimp shrine shuttle sickle
silo skunk sky sleet sloth slug smock snail snipe snorkel soda sole soot soup spaniel spear spindle spinach spire spruce spur squid stable stag stair stallion starling steam steel
steeple stem stew stork stove strait strand strap strawberry strudel stump sundial sunflower surf swallow swamp sword sycamore syrup tango tangerine tapir tar tavern tea temple tent
termite terrace thicket thimble thistle thorn throne thrush thyme tiara tide tile tin toad toffee tortoise toucan trail trench trout truffle tuba tuna tundra tunic turban turkey turnip
turret tusk tweed twig tycoon urchin urn vane vanilla veil venom viaduct viola viper vulture waffle wagtail walnut walrus wand warbler warden wasp waterfall wax weasel weaver whale
wharf wheat whelk whisk whiskey wick widget wig wildcat wisteria wombat woodpecker wool workbench worm wren yak yam yarn yew yoke yolk zeppelin zinc zinnia zither""".split()
"""Words that training alone has, beyond those from which deeds are made."""


def known(kept):
    """Everything but the words that are kept for the evaluation, each once."""
    return [word for word in dict.fromkeys(THINGS + OTHERS + LESSONS) if word not in kept]
