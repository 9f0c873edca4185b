"""Mail, calendar, home, music, shopping, health: what people ask an assistant for."""

TEXT = r"""
# send_email: send_email mail write_mail compose_email
d Sends an email. | Writes a mail to an address. | Delivers an electronic letter.
a to:email text:sentence=text,body,message,content
q send an email to {to}: "{text}" | mail {to} that "{text}" | write to {to}: "{text}" | email {to} saying "{text}" | let {to} know by mail: "{text}"
f schick eine E-Mail an {to}: "{text}" | envoie un mail à {to} : "{text}" | manda un correo a {to}: "{text}"
r sent => Done: sent.
# send_sms: send_sms text_message sms
d Sends a text message to a phone. | Short message to a mobile number. | Writes an SMS.
a to:phone text:sentence=text,message,body
q text {to}: "{text}" | send an sms to {to} saying "{text}" | message the number {to}: "{text}" | write {to} a text: "{text}"
r sent => Done: sent.
# chat_post: post_message chat_post notify_team
d Posts a message in a team's chat. | Tells a team something. | Writes into a channel.
a team:team=channel,team,group text:sentence=text,message,content
q tell the {team} team "{text}" | post "{text}" in the {team} channel | write "{text}" to {team} | announce to {team}: "{text}" | let {team} know: "{text}"
r posted => Done: posted.
# read_mail: read_mail inbox unread_mail check_mail
d Shows the unread emails. | What is in the inbox. | New mail.
q do I have mail? | check my inbox | any new emails? | read my mail | what's in my mailbox? | did somebody write to me?
f habe ich neue E-Mails? | ai-je du courrier?
r 1 unread from {p:person} => One unread mail, from {p}.
# search_mail: search_mail find_mail mail_query
d Finds emails by a word. | Searches the mailbox. | Old mails about something.
a word:topic=query,word,about,q
q find mails about {word} | search my mailbox for {word} | which emails mention {word}? | did anybody write to me about {word}?
# add_event: add_event create_event calendar_add schedule
d Adds an event to the calendar. | Puts an appointment into the diary. | Schedules something.
a title:title day:day at?:clock=time,at,start,hour
q add {title} to my calendar {day}[ at {at}] | schedule {title} for {day}[, {at}] | put {title} in the diary for {day}[ at {at}] | I have {title} {day}[ at {at}], note it in the calendar | plan {title} {day}[ at {at}]
f trag {title} am {day} in den Kalender ein | ajoute {title} au calendrier pour {day}
r added => Done: added.
# list_events: list_events agenda my_calendar day_plan
d Shows the events of a day. | What is in the calendar. | Appointments on a date.
a day:day
q what do I have {day}? | my agenda for {day} | which appointments are there {day}? | am I busy {day}? | show the calendar for {day}
f was habe ich {day} vor? | qu'est-ce que j'ai {day}?
r {t:clock} {x:title} => You have {x} at {t}.
# cancel_event: cancel_event remove_appointment delete_event
d Cancels an event. | Takes an appointment out of the calendar. | Calls a meeting off.
a title:title
q cancel {title} | call off {title} | take {title} out of my calendar | {title} will not happen, remove it from the diary
r cancelled => Done: cancelled.
# reminder: set_reminder remind_me reminder
d Sets a reminder. | Makes sure that something is not forgotten. | Reminds of a thing at a time.
a what:sentence=text,what,message,about at:clock=time,at,when
q remind me at {at}: "{what}" | set a reminder for {at}: "{what}" | at {at} I must think of "{what}" | don't let me forget "{what}", {at}
f erinnere mich um {at}: "{what}" | rappelle-moi à {at} : "{what}"
r set => Done: set.
# alarm: set_alarm wake_me alarm_clock
d Sets the alarm clock. | Wakes somebody up at a time. | Rings in the morning.
a at:clock=time,at,when
q wake me at {at} | set an alarm for {at} | alarm {at} | I have to get up at {at} | ring at {at}
f weck mich um {at} | réveille-moi à {at} | despiértame a las {at}
r alarm {at} => Done: alarm {at}.
# timer: start_timer countdown egg_timer
d Starts a countdown. | A kitchen timer. | Rings after some time.
a how:duration
q set a timer for {how} | countdown {how} | tell me when {how} are over | start a timer, {how} | ring in {how}
f stell einen Timer auf {how} | minuteur de {how}
# stopwatch: stopwatch start_watch lap_timer
d Starts the stopwatch. | Measures elapsed time. | Times a run.
q start the stopwatch | time me | measure how long I take | begin timing now
# todo_add: add_task todo_add new_todo
d Adds a task to the to-do list. | Notes something that must be done. | New item on the list of chores.
a what:title=task,title,text,item
q add {what} to my to-do list | new task: {what} | I must not forget to do {what}, put it on the list | note the task {what} | todo: {what}
r added => Done: added.
# todo_list: list_tasks todos open_tasks
d Shows the to-do list. | Tasks that are still open. | What remains to be done.
q what is on my to-do list? | show my tasks | what do I still have to do? | open tasks? | which chores are left?
# todo_done: complete_task tick_off mark_done
d Marks a task as done. | Ticks an item off the to-do list. | Completes a chore.
a what:title=task,title,item,name
q {what} is done | tick off {what} | mark {what} as finished | I have completed {what}, check it off
# note_add: save_note take_note jot_down
d Saves a note. | Writes a thought into the notebook. | Keeps a short text for later.
a text:sentence=text,note,content
q take a note: "{text}" | note that "{text}" | jot down "{text}" | keep in mind: "{text}" | save the note "{text}"
# note_search: find_note search_notes notes_about
d Searches the notes. | Finds what was noted about something. | Look-up in the notebook.
a topic:topic
q what did I note about {topic}? | find my notes on {topic} | search the notebook for {topic} | do I have a note about {topic}?
# contact_find: find_contact address_book contact_lookup
d Looks up a person in the address book. | Phone and mail of a contact. | Contact details.
a who:person
q what is the phone number of {who}? | find {who} in my contacts | how can I reach {who}? | contact details of {who} | look up {who} in the address book
r {e:email}, {p:phone} => {who}: {e}, {p}.
# contact_add: add_contact new_contact save_contact
d Adds a person to the address book. | Saves a new contact. | Stores somebody's number.
a who:person phone:phone
q save {who} with the number {phone} | add {who}, {phone}, to my contacts | new contact {who} {phone} | {who} has the number {phone}, store it
# call: call_person dial phone_call
d Calls a phone number. | Starts a telephone call. | Dials.
a to:phone=number,phone,to
q call {to} | dial {to} | ring up {to} | phone {to} | I want to speak with {to} on the phone
# light_on: light_on lights_on lamp_on
d Turns the light on in a room. | Switches lamps on. | Makes a room bright.
a room:room
q turn on the light in the {room} | lights on in the {room} | it is dark in the {room} | switch the {room} lamp on | make it bright in the {room}
f mach das Licht an: {room} | allume la lumière: {room}
r on => Done: on.
# light_off: light_off lights_off lamp_off
d Turns the light off in a room. | Switches lamps off. | Makes a room dark.
a room:room
q turn off the light in the {room} | lights out in the {room} | switch the {room} lamp off | make it dark in the {room} | nobody is in the {room}, save the light
r off => Done: off.
# light_color: light_color lamp_tint set_color
d Changes the colour of a lamp. | Sets a lamp's tint in a room. | Coloured light.
a room:room color:color
q make the light in the {room} {color} | {color} light in the {room} | set the {room} lamp to {color} | I want the {room} to glow {color}
# heating: set_heating thermostat warm_up
d Sets the temperature of a room. | Thermostat. | Heats a room to some degrees.
a room:room t:small=degrees,temperature,value,target
q set the {room} to {t} degrees | heat the {room} to {t} | I want {t} degrees in the {room} | thermostat {room} {t} | it is too cold in the {room}, make it {t} degrees
r set to {t} => Done: set to {t}.
# blinds: move_blinds shutters blind_control
d Opens or closes the blinds. | Moves the shutters of a room. | Lets the sun in or keeps it out.
a room:room act:updown=action,direction,state,move
q {act} the blinds in the {room} | {act} the shutters of the {room} | the blinds in the {room}: {act} | please {act} the {room} blinds
# lock: lock_door door_lock secure_door
d Locks the door of a room. | Secures a door. | Bolts a door.
a room:room=door,room,which
q lock the {room} door | secure the {room} | is the {room} locked? If not, lock it | bolt the door of the {room}
# vacuum: start_vacuum robot_clean hoover
d Sends the vacuum robot into a room. | Cleans the floor of a room. | Hoovers.
a room:room
q vacuum the {room} | clean the floor in the {room} | send the robot to the {room} | hoover the {room} | the {room} is dusty, clean it
# camera: show_camera camera_view look_at
d Shows the picture of a camera. | What the camera sees in a room. | Surveillance view.
a room:room=camera,room,place
q show the camera in the {room} | what does the {room} camera see? | is somebody in the {room}? Look with the camera | camera view {room}
# volume: set_volume volume loudness
d Sets the loudness. | Makes the sound louder or quieter. | Speaker volume in percent.
a level:percent
q set the volume to {level} | volume {level} percent | make it {level} percent loud | sound at {level}
r {level} => Done: {level}.
# play_music: play_song play_music music
d Plays a song. | Starts music by title. | Puts a track on.
a song:song
q play {song} | put on {song} | I want to hear {song} | start the song {song} | music: {song}
f spiel {song} | joue {song} | pon {song}
r playing => Done: playing.
# stop_music: stop_music pause silence
d Stops the music. | Pauses what is playing. | Makes the speakers silent.
q stop the music | silence please | pause the song | turn that music off | quiet!
# playlist_add: add_to_playlist playlist_add save_song
d Adds a song to a playlist. | Puts a track on a list of favourites. | Saves music to a collection.
a song:song list:tag=playlist,list,collection
q add {song} to my {list} playlist | put {song} on the list {list} | save {song} in the playlist {list} | {song} belongs in my {list} collection
# lyrics: song_lyrics lyrics words_of_song
d Shows the words of a song. | Lyrics by title. | What is sung in a song.
a song:song
q lyrics of {song} | what are the words of {song}? | I want to sing along to {song}, show the text | text of the song {song}
# photo: take_photo snapshot picture
d Takes a picture with the camera. | Makes a photo. | Captures an image.
q take a photo | make a picture | snapshot please | photograph this | cheese! take a picture
# screenshot: screenshot capture_screen screen_grab
d Captures what the screen shows. | Makes an image of the display. | Grabs the screen.
q take a screenshot | capture the screen | save what is on my display as an image | screen grab please
# shop_search: find_product shop_search product_search
d Finds a product in the shop. | Searches goods for sale. | What the shop has.
a item:product
q do you sell a {item}? | find a {item} in the shop | I want to buy a {item}, what is there? | search the shop for {item} | offers for {item}
r {item} {m:money} => A {item} costs {m}.
# cart_add: add_to_cart cart_add buy
d Puts a product into the cart. | Adds goods to the shopping basket. | Reserves an article for buying.
a item:product n?:small=quantity,count,n,pieces
q put[ {n} times] {item} into my cart | add[ {n} x] {item} to the basket | I take[ {n} of] the {item}, into the cart | cart:[ {n}] {item}
# order_food: order_food delivery takeaway
d Orders a meal. | Has food delivered. | Takeaway.
a dish:dish n?:small=portions,count,n
q order {dish}[, {n} portions] | I want {dish} delivered[, {n} portions] | get me {dish}[, {n} times] from the takeaway | food delivery: {dish}[ for {n}]
# book_table: book_table reserve_table dinner_reservation
d Reserves a table in a restaurant. | Books a place for dinner. | Restaurant reservation.
a n:small=people,guests,seats,n day:day at?:clock=time,at,hour
q book a table for {n} {day}[ at {at}] | reserve a table {day}[ at {at}] for {n} people | we are {n}, dinner {day}[ at {at}] | table for {n} {day}[, {at}]
# steps: step_count steps_today walked
d Tells how many steps were walked. | Step counter. | How far somebody walked on a day.
a day:day
q how many steps did I walk {day}? | step count {day} | did I walk enough {day}? | my steps {day}
r {n:int} => You walked {n} steps {day}.
# sleep: sleep_report night_report slept
d Tells how long somebody slept. | Sleep tracker. | Report on a night.
a day:day
q how did I sleep {day}? | sleep report {day} | how many hours did I sleep {day}? | was my night good {day}?
# weight_log: log_weight weigh_in record_weight
d Records the body weight. | Adds a value to the weight diary. | Weigh-in.
a kg:number=kg,weight,value
q I weigh {kg} kg, note it | log my weight: {kg} | record {kg} kg | weigh-in {kg}
# medicine: log_medicine medication took_pill
d Records that a medicine was taken. | Medication diary. | Notes a pill.
a what:hardword=medicine,name,pill,drug
q I took {what} | log my medicine {what} | note that I had a pill of {what} | medication: {what}
# water: log_water drink_log hydration
d Records how much water was drunk. | Drink diary. | Hydration log.
a ml:int=ml,amount,millilitres
q I drank {ml} ml of water | log {ml} ml | water: {ml} ml | add {ml} millilitres to my drinks today
# expense: add_expense log_spending spent
d Records an expense. | Notes what money was spent on. | Household book entry.
a amount:money what:product=for,item,what,purpose
q I spent {amount} on a {what} | log an expense of {amount} for {what} | note {amount} for the {what} in my household book | expense: {what}, {amount}
# balance: account_balance my_balance bank_account
d Tells the balance of the bank account. | How much money there is. | Account total.
q how much money do I have? | account balance | what's in my bank account? | am I broke? | check my balance
r {m:money} EUR => Your balance is {m} EUR.
# transfer: transfer_money pay send_money
d Transfers money to a person. | Pays somebody. | Bank transfer.
a who:person=to,recipient,name,payee amount:money
q transfer {amount} to {who} | pay {who} {amount} | send {amount} euros to {who} | I owe {who} {amount}, settle it by bank
r transferred => Done: transferred.
# roll_dice: roll_dice dice throw_dice
d Rolls a die. | Throws dice with some sides. | Random number like on dice.
a n:small=sides,max,n
q roll a die with {n} sides | throw a {n}-sided die | dice, {n} sides | give me a random roll on a d{n}
r {x:small} => You rolled {x}.
# coin: flip_coin coin_toss heads_or_tails
d Flips a coin. | Heads or tails. | Decides by chance between two.
q flip a coin | heads or tails? | toss a coin | let a coin decide
# joke: tell_joke joke humor
d Tells a joke. | Something funny. | Makes people laugh.
q tell me a joke | make me laugh | say something funny | I need a joke
# quote: daily_quote quote inspiration
d Gives a quotation. | Wise words for the day. | Inspiring saying.
q give me a quote | inspire me | wise words please | quote of the day?
# baby_names: suggest_name name_ideas names
d Suggests first names. | Ideas for what to call a child. | Given names by letter.
a letter:letter=letter,initial,start
q suggest a baby name with {letter} | which first names begin with {letter}? | name ideas starting with {letter} | how could we call the child? It should start with {letter}
# horoscope: horoscope stars_say zodiac
d Reads the horoscope. | What the stars say for a sign. | Zodiac forecast.
a sign:sign=sign,zodiac
q horoscope for {sign} | what do the stars say for {sign}? | I am a {sign}, how will my day be? | zodiac {sign}
# wifi: wifi_password network_key guest_wifi
d Shows the guest network's name and key. | How visitors get online. | Guest access to the wireless network.
q how do guests get online? | guest wifi? | what is the wireless network for visitors? | my friend wants to use the internet here, how?
# battery: battery_level charge_state power_left
d Tells how full the battery is. | Remaining charge. | Power left in the device.
q how much battery is left? | do I need to charge? | battery level? | will the device last, how full is it?
r {n:percent} percent => The battery is at {n} percent.
# brightness: set_brightness screen_brightness dim
d Sets the brightness of the screen. | Dims the display. | How bright the monitor is.
a level:percent
q set the brightness to {level} | dim the screen to {level} percent | display at {level} percent | the monitor is too bright, {level} percent please
# open_app: open_app launch start_program
d Opens an app. | Starts a program by name. | Launches software.
a app:app=app,name,program
q open {app} | start {app} | launch the {app} app | bring up {app} | I want to use {app}
# print: print_document printer send_to_printer
d Prints a document on paper. | Sends a file to the printer. | Paper copies.
a file:path n?:small=copies,count,n
q print {file}[, {n} copies] | I need {file} on paper[, {n} times] | send {file} to the printer[, {n} copies] | put {file} on paper[ {n} times]
# scan: scan_document scanner scan_page
d Scans a page into a file. | Reads paper with the scanner. | Makes a digital copy of paper.
a file:filename=name,file,out,target
q scan this page as {file} | digitise the paper to {file} | scan to {file} | make a digital copy named {file} from the paper
"""
