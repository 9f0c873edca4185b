"""Travel, knowledge, play, culture, sport, nature: more questions about the world. Training alone shows these."""

TEXT = r"""
# ferry: ferry_times boat_crossing ferry_search
d Tells when ferries sail. | Boat connections between harbours. | Crossings by water.
a from:city=from,origin,harbour to:city=to,destination,across
q when does a ferry sail from {from} to {to}? | boat from {from} to {to} | I want to cross from {from} to {to} by water | ferries {from} {to} | is there a ship to {to} leaving {from}?
# rental: rent_bike bike_rental hire_bicycle
d Rents a bicycle in a town. | Finds hire bikes. | Two wheels for some hours.
a place:city how:duration
q rent a bike in {place} for {how} | I want to cycle in {place}, {how} | hire a bicycle, {place}, {how} | two wheels for {how} in {place} please
# scooter: unlock_scooter e_scooter ride_scooter
d Unlocks an electric scooter. | Starts a ride on a shared scooter by its number. | Releases a rental e-scooter.
a id:code=scooter,number,id
q unlock scooter {id} | I want to ride the scooter {id} | release {id}, I stand beside it | start my ride on {id}
# metro: subway_route metro_plan underground
d Plans a ride on the underground. | Subway lines between stops. | How to go by metro inside a city.
a from:station=from,start,origin to:station=to,end,destination
q which metro goes from {from} to {to}? | underground {from} to {to} | how do I ride from {from} to {to} below ground? | subway from {from} to {to}
# seat: reserve_seat choose_seat train_seat
d Reserves a seat on a train. | Picks a place in a carriage. | Seat booking for a journey.
a id:code=train,number,service n?:small=carriage,coach,wagon
q reserve a seat on {id}[ in carriage {n}] | I want to sit on train {id}[, coach {n}] | a place in {id}[, wagon {n}] please
# delay: train_delay is_it_late delay_info
d Tells whether a train is late. | Delay of a service by its number. | Punctuality of a connection.
a id:code=train,number,service
q is {id} late? | delay of {id} | does train {id} run on time? | how many minutes is {id} behind?
r {n:small} minutes => {id} is {n} minutes late.
# boarding: check_in online_check_in boarding_pass
d Checks a traveller in. | Gets the boarding pass for a reservation. | Ready to board.
a id:code=booking,reference,id
q check me in for {id} | boarding pass for {id} | I want to board, reference {id} | do the online check-in of {id}
# luggage: baggage_rules luggage_allowance how_many_bags
d Tells how much luggage one may take. | Baggage allowance of a class. | Weight limits for bags.
a c:travelclass
q how many bags may I take in {c}? | luggage allowance {c} | what may my suitcase weigh in {c}? | baggage rules for {c}
# lost_bag: report_lost_bag missing_luggage bag_claim
d Reports that luggage did not arrive. | Claim for a missing bag. | Files a lost suitcase.
a id:code=tag,number,bag
q my bag {id} did not arrive | report the lost suitcase {id} | luggage {id} is missing | file a claim for bag {id}
# campsite: find_campsite camping pitch_search
d Finds places to put up a tent. | Camping grounds near a town. | Pitches for caravans.
a place:city
q where can I camp near {place}? | campsites {place} | a spot for my tent around {place} | can we put up the caravan in {place}?
# hiking: hiking_trails walks_nearby trail_finder
d Suggests walks in nature. | Trails around a place. | Hiking routes of a length.
a place:city km?:small=km,length,distance
q where can I hike near {place}[, about {km} km]? | trails around {place}[ of {km} km] | a walk in nature close to {place}[, {km} kilometres] | I want to wander in the hills of {place}[, {km} km]
# ski: snow_report ski_conditions slopes_open
d Tells how much snow lies. | Conditions on the slopes. | Which lifts run in a resort.
a place:city=resort,place,area
q is there enough snow in {place}? | ski conditions {place} | are the slopes open in {place}? | how deep is the snow at {place}?
r {n:int} cm => There are {n} cm of snow in {place}.
# surf: wave_report surf_forecast wave_height
d Tells how high the waves are. | Surf forecast for a coast. | Swell and wind at the sea.
a place:city=spot,beach,place
q how high are the waves in {place}? | can I surf in {place}? | wave report {place} | swell at {place}?
# moon: moon_phase moon_state lunar_calendar
d Tells the phase of the moon. | Whether the moon is full. | Lunar calendar for a date.
a d:date=date,day,on
q is the moon full on {d}? | moon phase {d} | how does the moon look on {d}? | lunar calendar {d}
# stars: star_map night_sky constellations
d Shows what can be seen in the night sky. | Star chart for a place. | Constellations overhead.
a place:city
q which stars can I see in {place}? | night sky over {place} | constellations above {place} | star map {place}
# iss: space_station_pass iss_flyover satellite_pass
d Tells when the space station flies over. | Next pass of a satellite. | Visible fly-overs.
a place:city
q when does the space station fly over {place}? | iss pass {place} | can I see the station in the sky of {place}? | satellite over {place} when?
# storm: storm_warning severe_weather weather_alert
d Warns of dangerous weather. | Storm alerts for a region. | Hail, gales, floods.
a place:city
q is there a storm warning for {place}? | severe weather {place}? | must I expect hail in {place}? | are there floods around {place}?
# river: river_level water_level flood_gauge
d Tells how high a river stands. | Gauge of a river in a town. | Level of the water in centimetres.
a place:city
q how high is the river in {place}? | water level at {place} | does the river rise in {place}? | gauge {place}
r {n:int} cm => The river in {place} stands at {n} cm.
# elevation: altitude height_above_sea how_high
d Tells how high a place lies. | Metres above the sea. | Altitude of a town.
a place:city
q how high is {place} above the sea? | altitude of {place} | elevation {place} | at what height does {place} lie?
r {n:int} m => {place} lies {n} m above the sea.
# postcode: find_postcode zip_code postal_code
d Finds the postal code of a town. | Zip code look-up. | Which number belongs on a letter to a place.
a place:city
q what is the postcode of {place}? | zip code {place} | postal code for a letter to {place} | which number do I write before {place} on the envelope?
r {n:int} => The postal code of {place} is {n}.
# dial_code: dialling_code country_prefix phone_prefix
d Tells the telephone prefix of a country. | International dialling code. | First digits for a number abroad.
a place:country
q what is the dialling code of {place}? | phone prefix {place} | which digits come first for numbers in {place}? | country code of {place}
r +{n:small} => The dialling code of {place} is +{n}.
# capital: capital_of main_city seat_of_government
d Names the capital of a country. | Main city of a state. | Where the government sits.
a place:country
q capital of {place}? | which city governs {place}? | what is the main city of {place}? | where does the government of {place} sit?
# flag: show_flag flag_of national_colours
d Shows the flag of a country. | National colours. | What a state's banner looks like.
a place:country
q what does the flag of {place} look like? | show the flag of {place} | national colours of {place} | which colours does {place} have on its banner?
# etiquette: local_customs tipping_rules travel_manners
d Explains the customs of a country. | Manners abroad. | What travellers should not do.
a place:country
q how do I behave in {place}? | customs of {place} | what is rude in {place}? | do people tip in {place}? Tell me about manners
# plug: plug_type socket_type power_adapter
d Tells which plug is used in a country. | Sockets and voltage abroad. | Whether an adapter is needed.
a place:country
q do I need an adapter in {place}? | plug type {place} | which sockets has {place}? | does my charger fit in {place}?
# embassy: find_embassy consulate embassy_contact
d Finds the embassy of a country. | Address of a consulate. | Help for citizens abroad.
a c:country=country,of,nation place:city
q where is the embassy of {c} in {place}? | consulate of {c}, {place} | I lost my papers in {place}, I am from {c}, who helps? | {c} embassy {place}
# vaccine: travel_vaccines shots_needed health_advice
d Tells which vaccinations a trip needs. | Shots for travellers. | Health advice for a country.
a place:country
q which shots do I need for {place}? | vaccinations {place} | health advice for {place} | must I be vaccinated before {place}?
# toll: toll_cost motorway_fee road_charge
d Tells what a road costs. | Motorway fee between two towns. | Toll on a route.
a from:city=from,origin,start to:city=to,destination,end
q how much toll from {from} to {to}? | motorway fee {from} to {to} | what does the road from {from} to {to} cost? | do I pay for driving {from} to {to}?
r {m:money} => The toll from {from} to {to} is {m}.
# charge_point: charging_stations ev_charger plug_in_car
d Finds places to charge an electric car. | Charging points in a town. | Where to plug an e-car in.
a place:city
q where can I charge in {place}? | charging stations {place} | my electric car is empty, I am in {place} | free charger in {place}?
# toilets: public_toilets restroom_finder wc_nearby
d Finds public toilets. | Restrooms in a town. | Where one can go when one must.
a place:city
q where is a toilet in {place}? | I need a restroom, {place} | public wc {place} | bathroom for tourists in {place}?
# atm: find_atm cash_machine get_cash
d Finds cash machines. | Where to draw money. | ATMs of a city.
a place:city
q where can I get cash in {place}? | atm in {place} | cash machine {place} | I have no notes left and am in {place}
# swim: swimming_pools pool_hours public_bath
d Tells when the public baths open. | Swimming pools of a town. | Hours of the bath.
a place:city day?:day
q can I swim in {place}[ {day}]? | pool hours {place}[ {day}] | is the bath open in {place}[ {day}]? | where to swim in {place}[ {day}]?
# zoo: zoo_info animal_park zoo_tickets
d Informs about a town's zoo. | Opening and price of the animal park. | Wild animals to visit.
a place:city
q what does the zoo in {place} cost? | is there an animal park in {place}? | lions and tigers in {place}, when can I see them? | zoo {place}
# concert: find_concerts live_music gigs
d Finds concerts. | Live music in a town on a day. | Who plays where.
a place:city day?:day
q which bands play in {place}[ {day}]? | concerts {place}[ {day}] | live music in {place}[ {day}]? | I want to hear a gig in {place}[ {day}]
# theatre: theatre_tickets book_play stage_tickets
d Buys tickets for a play. | Seats in the theatre. | Books a stage performance.
a t:song=play,title,show n:small=seats,count,tickets
q {n} tickets for {t} | book {n} seats at the play {t} | we want to see {t} on stage, {n} people | theatre: {t}, {n} places
r booked => Done: booked.
# festival: festival_calendar town_fairs fetes
d Lists festivals of a country. | Fairs and street parties. | When towns celebrate.
a place:country m?:month=month,in,when
q which festivals are there in {place}[ in {m}]? | fairs in {place}[, {m}] | what do they celebrate in {place}[ in {m}]? | street parties {place}[ {m}]
# painting: artwork_info about_painting art_facts
d Tells about a work of art. | Painter and year of a picture. | Art history of one piece.
a t:song=title,work,painting
q who painted {t}? | tell me about the painting {t} | art facts: {t} | from which year is the picture {t}?
# poem: find_poem poem_about verses
d Finds a poem on a subject. | Verses about something. | Lyric poetry from an anthology.
a t:topic=topic,about,theme
q a poem about {t} from the anthology | verses on {t} | which poems deal with {t}? | I need lyric lines on {t} for a card
# author: author_books works_of bibliography
d Lists the books of an author. | Bibliography. | What a writer has published.
a who:person=author,writer,name
q which books did {who} write? | works of {who} | bibliography {who} | what has {who} published?
# loan_book: borrow_book library_loan reserve_book
d Borrows a book from the library. | Puts a volume aside for a reader. | Library loan.
a t:song=title,book,work
q I want to borrow {t} | reserve the book {t} at the library | put {t} aside for me | library: lend me {t}
# return_book: return_book give_back_loan end_loan
d Gives a borrowed book back. | Ends a library loan. | Return of a volume.
a t:song=title,book,work
q I bring {t} back to the library | return the book {t} | end the loan of {t} | I have finished {t}, take it back
# radio: play_radio radio_station tune_in
d Plays a radio station. | Tunes in. | Live broadcast by name.
a s:team=station,channel,name
q put on the {s} radio | tune in to {s} | I want to listen to the station {s} | radio: {s}
# podcast: play_podcast episode_of podcast
d Plays an episode of a podcast. | Talk shows to listen to. | Latest audio show on a topic.
a t:topic=topic,show,about
q play a podcast about {t} | an audio show on {t} please | I want to hear people talk about {t} | podcast: {t}
# tv: tv_guide tv_programme whats_on_tv
d Tells what is on television. | Programme of a day. | TV listings.
a day:day
q what is on tv {day}? | television programme {day} | is there a good show {day} on the telly? | tv guide {day}
# stream: where_to_stream find_stream watch_online
d Tells where a film can be streamed. | Which service shows a series. | Watch something online.
a t:song=title,film,series
q where can I watch {t}? | which service streams {t}? | {t} online? | I want to see {t} at home, who has it?
# quiz: quiz_question trivia ask_me
d Asks a quiz question. | Trivia on a subject. | Tests what somebody knows.
a t:topic=topic,subject,about
q quiz me on {t} | a trivia question about {t} | test what I know of {t} | ask me something on {t}
# chess: chess_move play_chess move_piece
d Makes a move in chess. | Moves a piece on the board. | Plays against the computer.
a m:square=move,to,square
q I move to {m} | chess: {m} | my piece goes to {m} | play {m} on the board
# cards: draw_card pick_card deal
d Deals playing cards. | Draws from the deck. | Gives a number of cards.
a n:small=count,cards,n
q deal {n} cards | draw {n} from the deck | give me {n} playing cards | I take {n} cards
# riddle: tell_riddle riddle puzzle_me
d Poses a riddle. | Something to puzzle over. | Brain teaser.
q give me a riddle | puzzle me | a brain teaser please | I want something to figure out
# game_score: game_score add_points score_board
d Notes points in a game. | Scoreboard of a player. | Adds to somebody's score.
a who:first=player,name,who n:small=points,score,count
q {n} points for {who} | {who} scored {n} | add {n} to {who}'s score | scoreboard: {who} plus {n}
# league: league_table standings ranking
d Shows the table of a league. | Ranking of clubs in a sport. | Who leads the championship.
a s:sport=sport,league,game
q who leads in {s}? | league table {s} | standings of the {s} championship | which club is on top in {s}?
# fixtures: next_match fixtures match_calendar
d Tells when a team plays next. | Calendar of matches. | Upcoming games of a club.
a place:city=team,club,city
q when does {place} play next? | upcoming games of {place} | fixtures {place} | next match of the club from {place}?
r {d:day} {t:clock} => {place} plays {d} at {t}.
# animal_facts: animal_facts about_animal creature
d Facts about an animal. | How a creature lives. | Zoology in brief.
a a:animal=animal,species,name
q what do {a}s eat? | facts about the {a} | how old does a {a} get? | tell me how a {a} lives, from the zoology database
# bird_id: identify_bird bird_song which_bird
d Recognises a bird by its song. | Which bird sings in a recording. | Identifies birds.
a file:audio
q which bird is in {file}? | identify the singer in {file} | what sings in my recording {file}? | bird song {file}
# plant_id: identify_plant which_plant plant_photo
d Recognises a plant on a photo. | Names a flower from a picture. | Which herb is it.
a file:image
q which plant is on {file}? | name the flower in {file} | what grows there? See {file} | identify the herb on the photo {file}
# tree_age: tree_age rings_count how_old_tree
d Estimates how old a tree is from its girth. | Age of a trunk. | Centimetres around to years.
a n:int=girth,cm,around
q how old is a tree of {n} cm girth? | a trunk measures {n} around, its age? | estimate the age of a tree, {n} cm
r {y:int} years => The tree is about {y} years old.
# sea_temp: sea_temperature how_warm_sea bathing_water
d Tells how warm the sea is. | Bathing water at a coast. | Temperature of the ocean.
a place:city
q how warm is the sea in {place}? | can one bathe at {place}? | ocean temperature {place} | is the water at {place} cold?
r {t:small} degrees => The sea at {place} has {t} degrees.
# fossil: about_fossil dinosaur_facts extinct_animals
d Facts about extinct creatures. | What dinosaurs were like. | Life of long ago.
a t:hardword=creature,name,species
q what kind of dinosaur was {t}? | facts on the extinct {t} | fossil {t} | how did {t} look millions of years ago?
# element: element_info periodic_table chemical_element
d Facts about a chemical element. | Entry of the periodic table. | Atomic weight and symbol.
a e:element
q what is the symbol of {e}? | periodic table: {e} | atomic weight of {e} | tell me about the element {e}
r {n:number} => The atomic weight of {e} is {n}.
# planet: planet_facts about_planet solar_system
d Facts about a planet. | Size and distance of worlds around the sun. | Solar system data.
a p:planet
q how big is {p}? | facts about {p} | how many moons has {p}? | how long is a year on {p}?
# country_facts: country_facts about_country nation_profile
d Profile of a country. | Area, languages and government of a nation. | Land and people.
a place:country
q tell me about {place} as a country | which languages are spoken in {place}? | profile of {place} | how large is the area of {place}?
# history_day: on_this_day history_of_day anniversary_events
d Tells what happened on a date in the past. | Events of history by day. | Anniversaries.
a d:date=date,day,on
q what happened on {d} in history? | on this day: {d} | which event took place on {d}? | anniversaries of {d}
# name_origin: name_meaning origin_of_name where_name_from
d Explains where a name comes from. | Meaning of a given name. | Etymology of names.
a n:first=name,first_name,given
q what does the name {n} mean? | where does {n} come from as a name? | origin of {n} | meaning of the first name {n}
# proverb: find_proverb saying_about folk_wisdom
d Finds a proverb. | Folk wisdom on a matter. | Sayings of old.
a t:topic=about,topic,matter
q a proverb about {t} | which saying fits {t}? | folk wisdom on {t} | what did the old people say about {t}?
# grammar: check_grammar grammar_fix correct_sentence
d Corrects the grammar of a sentence. | Finds mistakes in language. | Makes a phrase proper.
a s:sentence=text,sentence,phrase
q is "{s}" good grammar? | correct the sentence "{s}" | check my language: "{s}" | is there a mistake in "{s}"?
# pronounce: pronounce how_to_say phonetics
d Says how a word is spoken. | Pronunciation in sounds. | Phonetic spelling.
a w:hardword=word,term
q how do I pronounce {w}? | pronunciation of {w} | how is {w} spoken? | phonetics of {w}
# conjugate: conjugate_verb verb_forms tenses
d Shows the forms of a verb. | Conjugation in a language. | All tenses.
a w:token=verb,word lang:language
q conjugate {w} in {lang} | forms of the {lang} verb {w} | tenses of {w}, {lang} | how does {w} change in {lang}?
# sign_lang: sign_language gesture_for how_to_sign
d Shows the gesture for a word. | Sign language dictionary. | How deaf people say something.
a w:token=word,term
q how do I sign {w}? | gesture for {w} | {w} in sign language | which hand sign means {w}?
# morse: to_morse morse_code dots_and_dashes
d Writes a text in Morse code. | Dots and dashes. | Telegraph alphabet.
a s:phrase=text,message,input
q "{s}" in morse | telegraph "{s}" in dots and dashes | morse code for "{s}" | turn "{s}" into long and short
# roman: to_roman roman_numeral roman_number
d Writes a number in Roman numerals. | Digits the old way, with letters. | I, V, X, L.
a n:int=number,value,n
q {n} in roman numerals | how did the Romans write {n}? | roman number {n} | {n} with letters instead of digits
# anagram: anagrams jumble letters_of
d Finds words made of the same letters. | Anagrams. | Shuffles letters into other words.
a w:token=word,letters,text
q anagrams of {w} | which words have the letters of {w}? | jumble {w} | shuffle {w} into another word
# crossword: crossword_help solve_clue word_pattern
d Helps with crosswords. | Finds a word for a clue. | Solves one line of the puzzle.
a s:topic=clue,hint,question n:small=length,letters,count
q crossword: {s}, {n} letters | a word with {n} letters for {s} | clue {s}, length {n} | I am stuck at {s}, {n} boxes
"""
