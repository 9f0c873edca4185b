"""House, garden, kitchen, family, body: more of what people ask for at home. Training alone shows these."""

TEXT = r"""
# dishwasher: start_dishwasher wash_dishes dish_program
d Runs the dishwasher with a program. | Gets the dirty plates clean by machine. | Starts a wash cycle in the kitchen. | Does the washing-up.
a p:program
q start the dishwasher on {p} | do the dishes, {p} program | the plates are dirty, use {p} | run the kitchen machine with the {p} cycle | wash up with {p}
r running => Done: running.
# laundry: start_laundry washing_machine wash_clothes
d Starts the washing machine. | Washes clothes at a temperature. | Gets a load of textiles clean. | Laundry cycle.
a t:small=degrees,temperature,heat
q wash my clothes at {t} degrees | start the laundry, {t} degrees | the shirts stink, wash them at {t} | washing machine to {t} | I need clean socks, run a load at {t} degrees
# dryer: tumble_dry start_dryer dry_clothes
d Dries laundry for some time. | Runs the tumble dryer. | Gets wet textiles dry.
a how:duration
q dry the clothes for {how} | tumble dryer, {how} | my washing is still wet, give it {how} in the dryer | start drying, {how}
# iron_service: book_ironing ironing_help press_shirts
d Has shirts ironed by somebody. | Takes creases out of clothes. | Pressing service.
a n:small=pieces,count,shirts
q I have {n} shirts to be ironed | get {n} pieces pressed | book ironing for {n} items | {n} crumpled blouses, have them smoothed
# oven: preheat_oven oven_on bake_heat
d Heats the oven up. | Sets the baking temperature. | Brings the stove's inside to some degrees.
a t:int=temperature,degrees,heat
q preheat the oven to {t} | I want to bake at {t} degrees | get the oven hot, {t} | oven {t} please | set the baking temperature to {t}
r heating to {t} => Done: heating to {t}.
# coffee: brew_coffee make_coffee coffee_machine
d Makes coffee. | Brews a number of cups. | Espresso machine control. | Prepares a hot drink from beans.
a n:small=cups,count,n
q make {n} cups of coffee | brew coffee for {n} | I need caffeine, {n} cups | put the kettle on for {n} coffees | {n} espressos please
f mach {n} Tassen Kaffee | prépare {n} cafés
r brewing => Done: brewing.
# tea_timer: steep_tea tea_clock infusion
d Says when tea has drawn long enough. | Steeping time by sort of tea. | Watches over an infusion.
a kind:topic=tea,sort,kind
q how long must {kind} tea steep? | watch my {kind} tea | steeping time for {kind} | tell me when the {kind} tea is ready
# fridge_list: fridge_contents whats_in_fridge list_food
d Shows which food is in the fridge. | Stock of the kitchen. | What there is to eat at home.
q what is in the fridge? | do we have anything to eat? | show the food at home | is the fridge empty? | which groceries are left?
r {a:ingredient}, {b:ingredient} => In the fridge: {a}, {b}.
# expiry: food_expiry best_before use_by_date
d Tells when food goes bad. | Best-before date of something in the kitchen. | Shelf life of groceries.
a food:ingredient
q until when are the {food} good? | can I still eat the {food}? | best-before date of the {food} | when do the {food} go off? | are the {food} spoiled?
r {d:date} => The {food} are good until {d}.
# grocery_add: add_grocery shopping_list put_on_list
d Puts something on the shopping list. | Notes what must be bought in the supermarket. | Adds food to buy.
a food:ingredient n?:small=amount,count,quantity
q put {food} on the shopping list[, {n} packs] | we are out of {food}[, get {n}] | add[ {n}] {food} to the groceries | remember to buy {food}[ {n} times] | the {food} are finished, onto the list with them
r added {food} => Done: added {food}.
# grocery_show: show_groceries shopping_items what_to_buy
d Reads the shopping list. | Tells what has to be bought. | Things missing in the larder.
q what do I have to buy? | read me the shopping list | what is on the grocery list? | I am in the supermarket, what do we need?
r {a:ingredient} => On the list: {a}.
# meal_plan: plan_meals weekly_menu menu_for_days
d Plans what to cook on the coming days. | Makes a menu for a week. | Suggests dinners in advance.
a n:small=days,count,for
q plan our meals for {n} days | what shall we eat the next {n} days? | make a menu for {n} days | dinner ideas for {n} evenings
# pet_feed: feed_pet pet_feeder give_food
d Gives a pet its food. | Opens the automatic feeder. | Feeds an animal at home.
a pet:animal=pet,animal,who
q feed the {pet} | the {pet} is hungry | give the {pet} something to eat | dinner for the {pet} | has the {pet} eaten? If not, feed it
r fed => Done: fed.
# vet: book_vet vet_visit animal_doctor
d Makes an appointment with the animal doctor. | Books a vet. | Has a sick pet seen.
a pet:animal=pet,animal,for day:day
q take the {pet} to the vet {day} | my {pet} is ill, get it seen {day} | vet for the {pet} {day} | book the animal doctor {day}, it is about my {pet}
# dog_walk: find_dog_walker walk_dog pet_sitter
d Finds somebody who walks the dog. | Books a pet sitter for a day. | Care for animals while one is away.
a day:day
q who can walk the dog {day}? | I need a pet sitter {day} | find someone for the dog {day} | I'm away {day}, the dog has to go out
# plant_water: water_plants sprinkler irrigate
d Waters the garden for some time. | Turns the sprinkler on. | Irrigation of beds.
a how:duration
q water the garden for {how} | sprinkler on, {how} | the flowers are dry, give them {how} of water | irrigate for {how} | let the lawn drink for {how}
r watering => Done: watering.
# mow: mow_lawn robot_mower cut_grass
d Sends the mowing robot out. | Cuts the grass. | Shortens the lawn on a day.
a day:day
q mow the lawn {day} | the grass is too high, cut it {day} | send the mower out {day} | lawn care {day}
# pool: pool_temperature check_pool water_warmth
d Tells how warm the pool is. | Water temperature for swimming at home. | State of the swimming pool.
q how warm is the pool? | can we swim? | pool temperature? | is the water too cold to jump in?
r {t:small} degrees => The pool has {t} degrees.
# garage_door: garage_door move_garage_door garage_gate
d Opens or shuts the garage. | Moves the big gate. | Lets the driver in or out.
a act:updown=action,state,move
q {act} the garage | garage door: {act} | please {act} the big gate | I'm at the drive, {act} the garage
# doorbell: doorbell_log who_rang visitors_today
d Tells who was at the door. | Log of the bell. | Visitors that rang.
a day:day
q who rang {day}? | was somebody at the door {day}? | doorbell log {day} | did I miss visitors {day}?
r {p:person} at {t:clock} => {p} rang at {t}.
# door_open: open_front_door buzz_in let_in
d Lets somebody into the house. | Opens the entrance by remote. | Buzzer.
q let them in | open the front door | buzz the visitor in | somebody is outside, open up
# humidity: room_humidity moisture_level air_moisture
d Tells how moist the air in a room is. | Humidity indoors in percent. | Says whether it is too damp.
a room:room
q how humid is the {room}? | is the {room} too damp? | moisture in the {room} | will there be mould in the {room}? | humidity {room}
r {n:percent} percent => The humidity in the {room} is {n} percent.
# air_purifier: purify_air air_cleaner filter_air
d Cleans the air in a room. | Switches the air filter on. | Takes dust and smell out of a room.
a room:room
q the {room} smells, clean the air | air filter on in the {room} | purify the {room} | too much dust in the air of the {room}
# fireplace: light_fireplace fire_on cosy_fire
d Lights the fireplace. | Makes a fire indoors. | Cosy flames in a room.
a room:room
q make a fire in the {room} | light the fireplace in the {room} | I want flames in the {room} | it should be cosy in the {room}
# scene: set_scene mood_scene home_mode
d Sets lights and sound for an occasion. | Home scene. | Puts the whole house into a mood.
a mode:scene
q set the house to {mode} | {mode} mode please | prepare the home for {mode} | it is {mode} time
r {mode} => Done: {mode}.
# power_use: power_usage electricity_today energy_meter
d Tells how much electricity was used. | Reads the power meter. | Consumption in kilowatt hours on a day.
a day:day
q how much electricity did we use {day}? | power consumption {day} | read the meter for {day} | was our energy use high {day}?
r {n:number} kWh => You used {n} kWh {day}.
# solar: solar_yield sun_power panel_output
d Tells what the panels on the roof produced. | Yield of the photovoltaic system. | Own electricity on a day.
a day:day
q what did the solar panels bring {day}? | sun power {day} | yield of the roof {day} | how much did we produce ourselves {day}?
r {n:number} kWh => The panels gave {n} kWh {day}.
# water_use: water_meter tap_usage litres_used
d Tells how much tap water was used. | Reads the water meter. | Household water in litres.
a m:month
q how much water did we use in {m}? | water meter for {m} | litres in {m}? | was there a leak in {m}, how high was the use of water?
r {n:int} litres => You used {n} litres in {m}.
# bin_day: garbage_day bin_collection trash_pickup
d Tells when the rubbish is collected. | Waste calendar of a town. | Which bin goes out when.
a place:city
q when is the garbage collected in {place}? | which bin must go out in {place}? | waste calendar {place} | trash pickup in {place}? | when do they empty the bins in {place}?
r {d:day} => The bins are emptied {d}.
# handyman: find_handyman book_plumber craftsman
d Finds a craftsman for a repair. | Books somebody who mends things at home. | Plumbers, electricians, joiners.
a job:trade=trade,job,who day:day
q I need a {job} {day} | find a {job} who can come {day} | something is broken, send a {job} {day} | book a {job} for {day}
# cleaner: book_cleaner cleaning_help house_cleaning
d Books somebody who cleans the house. | Household help for some hours. | Cleaning service.
a n:small=hours,time,h day:day
q get a cleaner {day} for {n} hours | book household help {day}, {n} hours | the house is a mess, somebody should clean it {day} for {n} hours
# babysitter: find_babysitter child_care sitter
d Finds somebody who looks after children. | Child care for an evening. | Books a sitter.
a day:day at?:clock=from,time,start
q who can watch the kids {day}[ from {at}]? | babysitter {day}[ at {at}] | we go out {day}[ at {at}], somebody must stay with the children | child care {day}[, {at}]
# bedtime_story: tell_story bedtime_story read_to_kids
d Tells a story for children. | A tale before sleep about something. | Makes up a bedtime story.
a t:topic=about,topic,hero
q tell the kids a story about {t} | a bedtime story on {t} please | make up a tale about {t} | the children can't sleep, tell something about {t}
# chores: assign_chore chore_wheel who_does_chore
d Decides who does a chore. | Gives housework to a family member. | Duty roster at home.
a what:title=chore,task,work who:first=person,who,name
q {who} shall do {what} | give the chore {what} to {who} | housework: {what} for {who} | it is {who}'s turn with {what}
# school_menu: school_lunch canteen_menu cafeteria
d Tells what the canteen cooks. | Lunch at school on a day. | Cafeteria menu.
a day:day
q what is for lunch at school {day}? | canteen menu {day} | what does the cafeteria have {day}? | do the kids like the food {day}, what is it?
r {x:dish} => There is {x} {day}.
# blood_pressure: log_pressure blood_pressure pressure_diary
d Notes a blood pressure reading. | Diary of the upper and lower value. | Records how the heart pumps.
a up:int=systolic,upper,high lo:small=diastolic,lower,low
q my blood pressure is {up} over {lo}, note it | log {up} to {lo} | pressure diary: {up}/{lo} | I measured {up} and {lo} at the arm
# heart_rate: heart_rate pulse heartbeat
d Tells the pulse. | Heart beats a minute right now. | Reads the watch's heart monitor.
q what is my pulse? | heart rate? | is my heart beating too fast? | how many beats a minute do I have?
r {n:int} bpm => Your pulse is {n}.
# symptom: log_symptom symptom_diary feel_bad
d Writes down how somebody feels. | Diary of aches and complaints. | Keeps track of symptoms.
a what:symptom=symptom,what,complaint
q I have {what}, write it down | log the symptom {what} | note that I suffer from {what} | {what} again, into the health diary
# doctor_book: book_doctor doctor_appointment see_physician
d Makes an appointment with a doctor. | Books a medical visit. | Time slot at a practice.
a who:person=doctor,with,name day:day
q I want to see doctor {who} {day} | appointment with Dr {who} {day} | book me in with {who} {day}, I feel ill | is there a slot at the practice of {who} {day}? Take it
# prescription: refill_prescription renew_medicine repeat_drug
d Orders a medicine on prescription again. | Refill from the practice. | Gets more of a regular drug.
a what:hardword=medicine,drug,name
q I need more {what}, renew the prescription | refill {what} | my {what} pills run out, order again | repeat prescription for {what}
# allergy: allergy_info contains_allergen safe_to_eat
d Tells which allergens a dish has. | Whether somebody with an allergy may eat it. | Ingredients that cause trouble.
a dish:dish
q which allergens are in {dish}? | can I eat {dish} with a nut allergy? | is {dish} safe for allergic people? | allergy info {dish}
# pollen: pollen_count hay_fever allergy_forecast
d Tells how much pollen flies. | Hay fever forecast for a town. | Grass and birch in the air.
a place:city
q how bad is the pollen in {place}? | hay fever forecast {place} | will I sneeze in {place}? | is birch flying in {place}?
# uv: uv_index sun_burn_risk sun_strength
d Tells how strong the sun burns. | UV index of a place. | Whether sun cream is needed.
a place:city
q do I need sun cream in {place}? | uv index {place} | will I get burnt in {place}? | how strong is the sun in {place}?
r {n:small} => The UV index in {place} is {n}.
# workout_plan: make_workout training_plan exercise_plan
d Plans exercises for a length of time. | Puts a training together. | Fitness programme.
a how:duration
q make me a workout of {how} | I have {how} for sport, what shall I do? | training plan, {how} | fitness for {how}
# run_log: log_run jogging_diary record_run
d Records a run. | Notes how far somebody jogged. | Running diary in kilometres.
a km:number=km,distance,length
q I ran {km} km, record it | log a run of {km} kilometres | jogging: {km} km | I jogged {km} km just now
# meditation: meditate calm_down breathing_exercise
d Leads through a meditation. | Breathing exercise for some time. | Helps to become calm.
a how:duration
q meditate with me for {how} | I need to calm down, {how} | breathing exercise of {how} | guide me through {how} of silence
# gym_class: book_gym_class join_course fitness_course
d Signs up for a class at the gym. | Reserves a spot in a sports course. | Registers for group training.
a sport:sport=course,class,sport day:day
q sign me up for {sport} {day} | a spot in the {sport} class {day} | I want to join {sport} {day} | book the {sport} course {day}
# haircut: book_haircut barber hairdresser
d Makes an appointment at the hairdresser. | Books a haircut. | Barber.
a day:day at?:clock=time,at,hour
q I need a haircut {day}[ at {at}] | hairdresser {day}[, {at}] | my hair is too long, barber {day}[ at {at}] | get me a slot at the salon {day}[ at {at}]
# clothing: what_to_wear outfit_advice dress_for
d Suggests what to wear. | Clothes that fit an occasion. | Outfit advice.
a e:title=occasion,event,for
q what should I wear to {e}? | outfit for {e} | how do I dress for {e}? | which clothes fit {e}?
# lost_item: find_my_thing locate_item where_did_i_leave
d Tells where a thing was last seen. | Finds keys, bags and the like by their tag. | Tracks belongings.
a item:product=item,thing,what
q where is my {item}? | I can't find the {item} | locate my {item} | I have lost the {item}, where was it last?
r {r:room} => The {item} is in the {r}.
# ring_phone: ring_my_phone find_phone make_phone_ring
d Lets the mobile ring so that it is found. | Makes a lost phone sound. | Beeps the handset.
q ring my phone | where is my mobile? Make it ring | I can't find my phone, let it beep | make the handset sound
# gift_idea: gift_ideas present_for suggest_present
d Suggests a present for somebody. | Ideas what to give. | Finds gifts within a price.
a who:first=for,person,name amount?:money=budget,price,max
q what can I give {who}[ for {amount}]? | gift idea for {who}[, up to {amount}] | I need a present for {who}[, {amount} at most] | {who} has a birthday[ and I have {amount}], suggest something
# birthday: birthday_of when_born birthdays
d Tells when somebody has birthday. | Date of birth of a friend. | Birthday calendar.
a who:person
q when is the birthday of {who}? | how old does {who} get and when? | when was {who} born? | birthday of {who}
r {d:date} => The birthday of {who} is {d}.
# greeting_card: write_card greeting_card congratulate
d Sends a card with good wishes. | Congratulates by post. | Writes a card to a person.
a who:person=to,person,for text:sentence=text,wish,message
q send {who} a card: "{text}" | congratulate {who} with "{text}" | a greeting card for {who} saying "{text}" | write "{text}" on a card to {who}
# invite: invite_guest party_invite send_invitation
d Invites somebody to an occasion. | Sends an invitation. | Puts a person on the guest list.
a who:person=guest,person,who e:title=event,to,occasion
q invite {who} to {e} | {who} should come to {e} | put {who} on the guest list of {e} | ask {who} to be at {e}
# seat_plan: seating_plan place_guest table_order
d Says where a guest sits. | Table order of a party. | Puts a person at a table.
a who:person=guest,name,person n:small=table,number,at
q put {who} at table {n} | {who} sits at table {n} | seating: {who}, table {n} | move guest {who} to table {n}
# recycle: how_to_recycle waste_sorting where_to_throw
d Says how to throw something away. | Which waste an object belongs to. | Sorting of rubbish.
a item:product=item,thing,object
q where do I throw a {item}? | which bin for a {item}? | how is a {item} recycled? | I want to get rid of a {item}, how is it sorted?
# stain: remove_stain stain_help cleaning_tip
d Tells how to get a stain out. | Cleaning advice for spots. | What helps against dirt of a kind.
a food:ingredient=stain,of,substance
q how do I get {food} out of my shirt? | a stain of {food}, what helps? | I spilled {food}, how to clean it? | remove spots of {food}
# mattress: sleep_position bed_adjust raise_bed
d Moves the bed's back part. | Adjusts the mattress in percent. | Raises the head of the bed.
a level:percent
q raise the bed to {level} | head of the bed {level} percent | adjust my mattress, {level} | I want to sit up, bed to {level} percent
# nightlight: night_light sleep_lamp glow
d Glows softly while children sleep. | Dim light for the night for some time. | Sleeping lamp.
a how:duration
q night light for {how} | let the sleep lamp glow for {how} | my kid fears the dark, leave something on for {how}
# neighbour: message_neighbour tell_next_door neighbour_note
d Leaves word with the people next door. | Message to a neighbour. | Tells the house community something.
a text:sentence=text,message,note
q tell the neighbours "{text}" | leave word next door: "{text}" | let the house know "{text}" | message to the people next door: "{text}"
# rent_pay: pay_rent rent_payment housing_cost
d Pays the rent for a month. | Settles what the landlord gets. | Housing cost.
a m:month
q pay the rent for {m} | the landlord waits for {m}, settle it | rent {m} | has the rent for {m} been paid? Do it
# meter_send: submit_reading send_meter tell_utility
d Tells the utility a meter reading. | Submits a counter value. | Sends the state of gas or power.
a n:int=reading,value,count
q submit the meter reading {n} | the counter says {n}, tell the utility | my meter stands at {n}, pass it on
"""
