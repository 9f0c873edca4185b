"""Weather, travel, money, knowledge, food: questions about the world outside."""

TEXT = r"""
# weather: get_weather weather weather_now sky_report
d Tells the current weather in a city. | Temperature and sky at a place. | Meteorological conditions at a location.
a place:city day?:day
q what is the weather like in {place}[ {day}]? | will it rain in {place}[ {day}]? | do I need an umbrella in {place}[ {day}]? | weather {place}[ {day}] | how warm is it in {place}[ {day}]? | is it cold in {place}[ {day}]?
f wie ist das Wetter in {place}[ {day}]? | quel temps fait-il à {place}? | qué tiempo hace en {place}? | che tempo fa a {place}?
r {t:temp} degrees, {s:sky} => It is {t} degrees and {s} in {place}.
# air_quality: air_quality smog_level pollution
d Tells the air quality of a city. | Pollution level at a place. | How clean the air is.
a place:city
q how is the air in {place}? | air quality in {place} | is there smog in {place}? | can I go jogging in {place} or is the air too dirty? | pollution level of {place}
r index {n:int} => The air quality index in {place} is {n}.
# sunrise: sun_times sunrise_sunset daylight
d Tells when the sun rises and sets. | Sunrise and sunset for a city. | Hours of daylight at a place.
a place:city day?:day
q when does the sun rise in {place}[ {day}]? | sunset in {place}[ {day}] | until when is it light in {place}[ {day}]? | at what time does it get dark in {place}[ {day}]?
r sunrise {a:clock}, sunset {b:clock} => In {place} the sun rises at {a} and sets at {b}.
# world_time: world_time time_in local_time clock_of !current_time
d Tells the time in a city. | Local time at a place. | What the clock shows elsewhere.
a place:city
q what time is it in {place}? | local time in {place} | how late is it in {place}? | is it night in {place} now? | what does the clock say in {place}?
f wie spät ist es in {place}? | quelle heure est-il à {place}? | qué hora es en {place}?
r {t:clock} => It is {t} in {place}.
# current_time: current_time now get_date today clock
d Tells the current date and time. | What day and hour it is now. | The system clock.
q what time is it? | what is today's date? | which day is it? | what's the time now? | tell me the date | how late is it?
f wie spät ist es? | welcher Tag ist heute? | quelle heure est-il? | qué hora es?
r {d:date} {t:clock} => It is {d} {t}.
# currency: convert_currency exchange fx_rate
d Converts money between currencies. | Exchange of an amount into another currency. | What an amount is worth in foreign money.
a amount:money from:currency=from,source,base to:currency=to,target,into
q convert {amount} {from} to {to} | how much is {amount} {from} in {to}? | {amount} {from} in {to} | what do I get in {to} for {amount} {from}? | change {amount} {from} into {to}
f wie viel sind {amount} {from} in {to}? | combien font {amount} {from} en {to}?
r {x:money} => That is {x} {to}.
# stock: stock_price quote share_price
d Tells the price of a share. | Stock market quote for a symbol. | What a share costs now.
a symbol:ticker
q what is {symbol} trading at? | share price of {symbol} | how is the {symbol} stock doing? | quote {symbol} | what does one share of {symbol} cost?
r {x:money} => {symbol} stands at {x}.
# directions: directions route navigate find_way
d Plans a route between two places. | How to get from one place to another. | Navigation directions.
a from:city=from,origin,start to:city=to,destination,end
q how do I get from {from} to {to}? | route from {from} to {to} | directions {from} to {to} | what is the best way to drive from {from} to {to}? | navigate from {from} to {to}
# trains: find_trains train_times rail_search
d Finds train connections. | Timetable of trains between cities. | Rail departures from one town to another.
a from:city=from,origin,departure to:city=to,destination,arrival day?:day=day,date,when
q which trains go from {from} to {to}[ {day}]? | train from {from} to {to}[ {day}] | I want to go from {from} to {to} by rail[ {day}] | when does a train leave {from} for {to}[ {day}]?
f welche Züge fahren von {from} nach {to}? | quels trains vont de {from} à {to}?
r departs {t:clock} => A train leaves {from} at {t}.
# flights: search_flights find_flights air_tickets
d Finds flights. | Air connections between cities. | Searches plane tickets.
a from:city=from,origin,departure to:city=to,destination,arrival day?:day=day,date,when
q find flights from {from} to {to}[ {day}] | I want to fly from {from} to {to}[ {day}] | plane tickets {from} to {to}[ {day}] | is there a flight from {from} to {to}[ {day}]?
# hotels: find_hotel hotel_search book_room_search
d Finds hotels in a city. | Places to sleep at a destination. | Searches rooms for travellers.
a place:city n?:small=nights,stay,n
q find a hotel in {place}[ for {n} nights] | where can I sleep in {place}[ for {n} nights]? | I need a room in {place}[ for {n} nights] | hotels {place}[, {n} nights] | accommodation in {place}[ for {n} nights]
r {x:first}'s Inn, {m:money} a night => {x}'s Inn costs {m} a night.
# restaurants: find_restaurant places_to_eat dining
d Finds places to eat. | Restaurants in a city. | Where one can have dinner.
a place:city
q where can I eat in {place}? | find a restaurant in {place} | I am hungry and in {place}, any ideas? | good food in {place} | recommend a place for dinner in {place}
# distance: distance how_far measure_way
d Tells how far two places are apart. | Distance between cities. | Kilometres from one place to another.
a from:city=from,a,start to:city=to,b,end
q how far is it from {from} to {to}? | distance between {from} and {to} | how many kilometres from {from} to {to}? | is {from} far from {to}?
r {n:int} km => It is {n} km from {from} to {to}.
# traffic: traffic_report traffic road_state
d Reports the traffic in a city. | Jams on the roads. | How busy the streets are.
a place:city
q how is the traffic in {place}? | are there jams in {place}? | is the road to {place} busy? | traffic report for {place} | will I get stuck driving through {place}?
# parking: find_parking parking_spots car_park
d Finds free parking. | Car parks with free places. | Where to leave the car.
a place:city
q where can I park in {place}? | free parking in {place} | find a car park in {place} | I need a spot for my car in {place}
# population: population inhabitants people_count
d Tells how many people live in a place. | Population of a country. | Number of inhabitants.
a place:country
q how many people live in {place}? | population of {place} | inhabitants of {place} | how big is the population of {place}?
r {n:int} million => About {n} million people live in {place}.
# translate: translate translator to_language
d Translates a text. | Renders a text in another language. | Turns words into a foreign language.
a text:sentence=text,input,phrase lang:language
q translate "{text}" to {lang} | how do you say "{text}" in {lang}? | "{text}" in {lang} please | put "{text}" into {lang} | what is "{text}" in {lang}?
f übersetze "{text}" nach {lang} | traduis "{text}" en {lang}
# define: define_word dictionary meaning_of
d Explains what a word means. | Dictionary entry for a word. | Definition of a term.
a word:hardword
q what does {word} mean? | define {word} | meaning of {word} | look up {word} in the dictionary | I don't know the word {word}, what is it?
f was bedeutet {word}? | que veut dire {word}?
# synonyms: synonyms thesaurus similar_words
d Finds words with a similar meaning. | Thesaurus look-up. | Other words for a word.
a word:token=word,term
q synonyms of {word} | another word for {word}? | what can I say instead of {word}? | thesaurus {word} | words similar to {word}
# news: get_news headlines news_search
d Brings the latest news on a topic. | Headlines about a subject. | What the papers write.
a topic:topic
q any news about {topic}? | headlines on {topic} | what is new in {topic}? | latest news: {topic} | what do the papers write about {topic}?
# encyclopedia: encyclopedia wiki_lookup article
d Looks up an encyclopedia article. | Background knowledge on a subject. | An article that explains a topic.
a topic:topic
q look up {topic} in the encyclopedia | find an article about {topic} | I want background on {topic} | wiki {topic} | read me an encyclopedia entry on {topic}
# web_search: web_search search_web internet_search @broad
d Searches the web. | Finds pages on the internet. | A search engine.
a topic:topic=query,q,search,terms
q search the web for {topic} | google {topic} | find pages about {topic} on the internet | look online for {topic} | do a web search: {topic}
f suche im Internet nach {topic} | cherche {topic} sur le web
# fetch_url: fetch fetch_url open_page download_page get_page @broad
d Fetches a web page. | Downloads the content of a URL. | Gets what is behind a link.
a url:url
q fetch {url} | open {url} | what is on {url}? | download the page {url} | get me the content of {url} | what does {url} say?
r {x:sentence} => The page says: {x}
# movie: movie_info film_facts cinema_data
d Facts about a film. | Cast and year of a movie. | Information on a motion picture.
a title:song=title,film,movie,name
q who plays in the film {title}? | tell me about the movie {title} | movie info {title} | when did the film {title} come out? | is {title} a good movie?
# cinema: cinema_times showtimes whats_on
d Tells what the cinemas show. | Showtimes of films in a city. | Cinema programme.
a place:city day?:day
q what is on at the cinema in {place}[ {day}]? | showtimes in {place}[ {day}] | which films run in {place}[ {day}]? | cinema programme {place}[ {day}]
# sports: match_result score sports_scores
d Tells the result of a match. | Sports scores of a city's team. | How a game ended.
a place:city=team,club,city
q how did {place} play? | score of the {place} game | did {place} win? | result of the match of {place} | how many goals did {place} score?
r {a:small}:{b:small} => The match of {place} ended {a}:{b}.
# recipe: find_recipe recipe cook_book
d Finds a recipe. | How to cook a dish. | Cooking instructions for a meal.
a dish:dish
q how do I cook {dish}? | recipe for {dish} | I want to make {dish}, how? | find instructions for {dish} | teach me to prepare {dish}
# recipe_by_ingredient: cook_with meal_ideas recipes_from
d Suggests dishes for an ingredient. | Meal ideas from what is in the fridge. | What can be cooked with something.
a food:ingredient
q what can I cook with {food}? | I have {food}, any meal ideas? | dishes with {food} | use up my {food}, suggest something
# nutrition: nutrition calories food_facts
d Tells the calories of a food. | Nutrition facts. | How much energy food has.
a food:ingredient
q how many calories do {food} have? | nutrition facts of {food} | are {food} fattening? | how healthy are {food}? | energy content of {food}
r {n:int} kcal per 100 g => {food} have {n} kcal per 100 g.
# holidays: public_holidays days_off bank_holidays
d Lists the public holidays of a country. | Days when shops are closed. | Official days off.
a place:country
q which public holidays are there in {place}? | when are the shops closed in {place}? | bank holidays {place} | days off in {place}
# visa: visa_rules entry_rules passport_check
d Tells whether a visa is needed. | Entry rules of a country. | Papers one needs to travel.
a place:country
q do I need a visa for {place}? | entry rules {place} | which papers do I need to travel to {place}? | can I enter {place} without a visa?
# exchange_holidays: school_breaks term_dates vacations
d Tells when schools are closed. | Term dates. | School vacations of a country.
a place:country
q when are school holidays in {place}? | term dates {place} | when do pupils in {place} have time off?
# package_track: track_package parcel_status shipment
d Tells where a parcel is. | Tracks a shipment. | Delivery status of a package.
a id:code=tracking,number,id,parcel
q where is my parcel {id}? | track {id} | has the package {id} arrived? | delivery status of {id} | when will shipment {id} come?
r {x:city} depot => The parcel {id} is at the {x} depot.
# book_search: find_book library_search book_catalogue
d Finds books in the library. | Library catalogue. | Books on a subject.
a topic:topic
q which books do you have on {topic}? | find a book about {topic} | library search {topic} | I want to read something on {topic}
# tide: tide_times tides high_water
d Tells the tides of a harbour. | High and low water. | When the sea is high.
a place:city
q when is high tide in {place}? | tides {place} | low water in {place}? | when does the sea come back in {place}?
# quake: earthquakes seismic_report tremors
d Lists recent earthquakes. | Seismic activity of a country. | Where the ground shook.
a place:country
q were there earthquakes in {place}? | seismic activity {place} | did the ground shake in {place}?
# fuel: fuel_price gas_price petrol
d Tells what fuel costs. | Petrol prices in a city. | Cheapest filling stations.
a place:city
q what does petrol cost in {place}? | fuel price {place} | where can I fill up cheaply in {place}? | how expensive is diesel in {place}?
# bus: bus_times next_bus bus_departures
d Tells when the next bus leaves. | Bus departures at a stop. | City bus timetable.
a place:city=stop,city,place,from
q when does the next bus leave in {place}? | bus times {place} | is there still a bus in {place}? | departures of the bus in {place}
# museum: museum_hours opening_hours exhibitions
d Tells when museums are open. | Opening hours of museums in a city. | Exhibitions to visit.
a place:city
q are the museums in {place} open? | museum hours {place} | which exhibitions are there in {place}? | can I see some art in {place}?
# taxi: call_taxi order_cab ride
d Orders a taxi to an address. | Books a ride. | Sends a cab.
a where:address=address,pickup,from,to
q call me a taxi to {where} | order a cab for {where} | I need a ride, I am at {where} | get a taxi to {where}
# pharmacy: find_pharmacy night_pharmacy drugstore
d Finds an open pharmacy. | Where medicine is sold now. | Drugstores on night duty.
a place:city
q which pharmacy is open in {place}? | I need medicine in {place} | find a drugstore in {place} | emergency pharmacy {place}
# plant_care: plant_care watering_advice garden_help
d Tells how to care for a plant. | Advice on watering and light. | Gardening help.
a plant:ingredient=plant,name,crop
q how do I grow {plant}? | when should I water {plant}? | care tips for {plant} | my {plant} look sick in the garden, what now?
"""
