"""Numbers, text, code, databases, servers: what people at work need."""

TEXT = r"""
# calculate: calculate calculator math eval_expression
d Computes an arithmetic expression. | A pocket calculator. | Works out sums. | Evaluates a formula.
a e:expr
q what is {e}? | calculate {e} | compute {e} | how much is {e}? | work out {e} | {e} = ? | solve {e} for me
f was ist {e}? | combien font {e}? | cuánto es {e}? | quanto fa {e}?
r {x:number} => {e} = {x}
# sqrt: square_root sqrt root
d Takes the square root of a number. | Root of a value. | Which number squared gives the input.
a x:int=x,value,number,n
q square root of {x} | what is the root of {x}? | sqrt {x} | which number times itself is {x}?
# prime: is_prime prime_check test_prime
d Tells whether a number is prime. | Primality test. | Checks for divisors.
a x:int=n,number,value
q is {x} prime? | is {x} a prime number? | check {x} for primality | does {x} have divisors other than one and itself?
# random: random_number pick_number draw_number
d Draws a random number. | A number by chance between two limits. | Lottery draw.
a lo:small=min,low,from,lower hi:int=max,high,to,upper
q random number between {lo} and {hi} | pick a number from {lo} to {hi} | draw something between {lo} and {hi} | give me any number, at least {lo}, at most {hi}
# percent_of: percent_of percentage share_of
d Takes a percentage of an amount. | Share of a value. | So many per cent of something.
a p:percent=percent,rate,share x:money=amount,of,value,base
q what is {p} percent of {x}? | {p}% of {x} | take {p} percent of {x} | how much is {p} % out of {x}?
# loan: loan_rate mortgage monthly_payment
d Computes the monthly payment of a loan. | What a credit costs a month. | Mortgage calculator.
a amount:money=amount,principal,loan,sum n:small=years,term,duration
q monthly payment for a loan of {amount} over {n} years | I borrow {amount} for {n} years, what do I pay a month? | mortgage {amount}, {n} years | what does a credit of {amount} over {n} years cost?
# tip: tip_calculator tip gratuity
d Computes the tip on a bill. | How much to give the waiter. | Gratuity.
a amount:money=bill,amount,total p:percent=percent,rate,tip
q tip on {amount} at {p} percent | how much do I give the waiter on {amount}, {p} percent? | {p} percent gratuity on {amount}
# date_diff: days_between date_diff count_days
d Counts the days between two dates. | How long it is from one date to another. | Difference of dates.
a from:date=from,start,first to:date=to,end,second
q how many days from {from} to {to}? | days between {from} and {to} | how long is it from {from} until {to}? | difference between {from} and {to} in days
# weekday: weekday day_of_week which_day
d Tells the weekday of a date. | Which day of the week a date is. | Monday to Sunday for a date.
a d:date
q which weekday is {d}? | what day of the week is {d}? | is {d} a Sunday? | on which day does {d} fall?
# add_days: add_days date_plus later_date
d Adds days to a date. | The date some days later. | Moves a date forward.
a d:date=date,start,from n:int=days,n,count
q what date is {n} days after {d}? | {d} plus {n} days | add {n} days to {d} | {n} days later than {d}?
# uppercase: uppercase to_upper capitals
d Turns a text into capital letters. | Makes all letters big. | Upper case.
a s:phrase
q make "{s}" uppercase | write "{s}" in capital letters | "{s}" in capitals | shout "{s}" in big letters
# lowercase: lowercase to_lower small_letters
d Turns a text into small letters. | Removes capitals. | Lower case.
a s:phrase
q make "{s}" lowercase | write "{s}" in small letters | no capitals in "{s}" please | "{s}" in lower case
# reverse: reverse_text backwards flip_text
d Turns a text around. | Writes letters in opposite order. | Text from back to front.
a s:phrase
q reverse "{s}" | write "{s}" backwards | "{s}" from back to front | turn the letters of "{s}" around
# slug: slugify url_name make_slug
d Makes a name for a URL out of a text. | Text to hyphenated slug. | Title in a form fit for links.
a s:phrase
q slug for "{s}" | make a url name out of "{s}" | slugify "{s}" | "{s}" as a link-friendly name
# count_chars: count_characters text_length length_of
d Counts the characters of a text. | How long a string is. | Number of letters.
a s:phrase
q how many characters has "{s}"? | length of "{s}" | count the letters in "{s}" | how long is the text "{s}"?
# count_words_text: count_words words_in_text word_total
d Counts the words of a given text. | How many words a sentence has. | Number of words typed.
a s:phrase
q how many words are in "{s}"? | count the words of "{s}" | word count: "{s}" | number of words in the sentence "{s}"
# spellcheck: check_spelling spellcheck find_typos
d Finds spelling mistakes in a text. | Checks orthography. | Corrects typos.
a s:phrase
q check the spelling of "{s}" | are there typos in "{s}"? | is "{s}" spelled right? | correct my writing: "{s}"
# summarize: summarize short_version tldr
d Shortens a text. | Gives the gist. | Summary of what was written.
a s:phrase
q summarize "{s}" | short version of "{s}" | gist of "{s}"? | tl;dr "{s}"
# sentiment: sentiment mood_of tone_check
d Tells whether a text is friendly or angry. | Mood of a message. | Tone analysis.
a s:phrase
q is "{s}" positive or negative? | mood of "{s}" | what tone has "{s}"? | does "{s}" sound angry?
# detect_language: detect_language which_language guess_language
d Tells which language a text is in. | Recognises languages. | Language identification.
a s:phrase
q which language is "{s}"? | in what tongue is "{s}" written? | recognise the language of "{s}" | is "{s}" English?
# rhyme: rhymes find_rhymes rhyming_words
d Finds words that rhyme. | Rhyming dictionary. | Words with the same ending sound.
a w:token=word,with,term
q what rhymes with {w}? | rhymes for {w} | I write a poem and need a rhyme on {w} | words that sound like {w} at the end
# encode64: base64_encode encode to_base64
d Encodes a text in Base64. | Turns text into Base64. | Transport encoding of a string.
a s:phrase
q base64 of "{s}" | encode "{s}" in base64 | "{s}" to Base64 | I need "{s}" base64-encoded
# decode64: base64_decode decode from_base64
d Decodes Base64. | Turns Base64 back into text. | Undoes the transport encoding.
a s:blob=text,data,input,encoded
q decode {s} from base64 | what does the base64 {s} mean? | {s} is Base64, give me the plain text | undo the base64 of {s}
# hash_text: hash_text digest text_sha
d Computes the hash of a text. | Fingerprint of a string. | Digest of what was typed.
a s:phrase
q hash "{s}" | digest of "{s}" | sha of the text "{s}" | fingerprint of the string "{s}"
# uuid: new_uuid make_id unique_id
d Makes a unique identifier. | New UUID. | An id that nobody else has.
q give me a uuid | I need a unique id | generate an identifier | new UUID please
# password: make_password generate_password random_secret
d Makes a strong password. | Random letters for a login. | Password generator.
a n:small=length,size,n,chars
q make a password with {n} characters | generate a {n} character password | I need a strong login secret, length {n} | random password, {n} long
# qr: make_qr qr_code barcode
d Makes a QR code. | A square code for scanning. | Picture that phones can read.
a u:url=text,url,data,content
q qr code for {u} | make a QR of {u} | I want people to scan {u} with the phone | turn {u} into a square code
# color_mix: hex_color color_code rgb_of
d Tells the hex code of a colour. | RGB value by colour name. | Code of a colour for web pages.
a c:color
q hex code of {c} | rgb of {c} | which code has the colour {c}? | {c} as a web colour?
# json_check: validate_json json_check is_json
d Checks whether a file is valid JSON. | JSON validator. | Finds syntax errors in JSON.
a file:path
q is {file} valid json? | validate the JSON in {file} | check the json syntax of {file} | does {file} parse as JSON?
# csv_columns: csv_columns table_header column_names
d Lists the columns of a CSV file. | Header of a table file. | Which fields a CSV has.
a file:path
q which columns does {file} have? | header of {file} | column names of the csv {file} | what fields are in the table {file}?
# csv_sum: sum_column column_total add_up
d Adds up a column of a CSV file. | Total of a table's column. | Sum over rows.
a file:path col:column
q sum of {col} in {file} | total the column {col} of {file} | add up {col} in {file} | what do the {col} values in {file} add up to?
r {n:number} => The sum of {col} in {file} is {n}.
# plot: plot_chart draw_chart graph
d Draws a chart from a table file. | Makes a diagram. | Plots a column.
a file:path col:column
q plot {col} from {file} | draw a chart of {col} in {file} | diagram: {col}, data in {file} | show me {col} of {file} as a graph
# sql: run_sql query_database sql_query
d Runs a query on the database. | Executes SQL. | Asks the database in its own language.
a q:sql=query,sql,statement
q run the query {q} | execute {q} on the database | sql: {q} | what does {q} return?
# tables: list_tables show_tables database_tables
d Lists the tables of the database. | Which tables exist. | Names of all tables.
q which tables are in the database? | list the tables | show me all database tables | what tables do we have?
# describe_table: describe_table table_columns table_schema
d Shows the columns of a database table. | Structure of a table. | Fields and types in a table.
a t:table
q what columns does the table {t} have? | describe {t} | structure of the table {t} | schema of {t}
# count_rows: count_rows table_size row_count
d Counts the rows of a database table. | How many records a table has. | Number of entries.
a t:table
q how many rows are in {t}? | count the records of the table {t} | size of the table {t} in rows | row count {t}
r {n:int} => The table {t} has {n} rows.
# backup_db: backup_database dump_db save_database
d Makes a backup of the database. | Dumps all data to a file. | Safety copy of the database.
a file:filename=file,name,out,target
q back up the database to {file} | dump the db as {file} | make a safety copy of the database named {file}
# service_status: service_status health is_running
d Tells whether a service runs. | Health of a server program. | State of a daemon.
a s:service
q is {s} running? | status of {s} | is the {s} service healthy? | did {s} crash? | how is {s} doing?
r {s}: running => {s} is running.
# restart: restart_service bounce reboot_service
d Restarts a service. | Stops a server program and starts it again. | Bounces a daemon.
a s:service
q restart {s} | bounce the {s} service | {s} hangs, start it anew | give {s} a fresh start
f starte {s} neu | redémarre {s}
r restarted {s} => Done: restarted {s}.
# stop_service: stop_service shut_down halt
d Stops a service. | Shuts a server program down. | Ends a daemon.
a s:service
q stop {s} | shut down {s} | {s} must not run any more | halt the {s} service
# logs: read_logs service_logs show_logs
d Shows the logs of a service. | What a server program reported. | Log lines by level.
a s:service lvl?:loglevel
q show the logs of {s}[, level {lvl}] | what did {s} log[ at level {lvl}]? | log lines from {s}[, only {lvl}] | read the[ {lvl}] logs of {s}
# deploy: deploy release roll_out
d Deploys a version of a service. | Rolls a release out. | Brings software into production.
a s:service v:version
q deploy {s} {v} | roll out version {v} of {s} | bring {s} {v} into production | release {v} of {s}
r deployed => Done: deployed.
# rollback: rollback undo_release previous_version
d Goes back to the last version of a service. | Undoes a release. | Reverts a deployment.
a s:service
q roll back {s} | undo the last release of {s} | revert {s} to the previous version | the new {s} is broken, go back
# scale: scale_service set_replicas resize
d Sets how many copies of a service run. | Scales up or down. | Number of replicas.
a s:service n:small=replicas,count,n,instances
q scale {s} to {n} | run {n} copies of {s} | {s} needs {n} instances | set the replicas of {s} to {n}
# cpu: cpu_load processor_usage load
d Tells how busy the processor is. | CPU usage. | Load of the machine.
q how busy is the cpu? | processor load? | is the machine under load? | cpu usage
r {n:percent} percent => The processor is at {n} percent.
# memory: memory_usage ram_free ram
d Tells how much memory is used. | Free RAM. | Working memory of the machine.
q how much ram is free? | memory usage? | are we running out of memory? | how full is the working memory?
r {n:percent} percent used => {n} percent of the memory is used.
# processes: list_processes ps running_programs
d Lists the running programs. | Process table. | What runs on the machine.
q which programs are running? | list the processes | what runs on this machine? | ps
# kill: kill_process end_process terminate
d Ends a running program. | Terminates a process by number. | Kills a process.
a n:int=pid,process,id,number
q kill process {n} | terminate pid {n} | end the program with the number {n} | process {n} must die
# ping: ping is_reachable host_check
d Tells whether a host answers. | Reachability of a server. | Network ping.
a h:host
q ping {h} | is {h} reachable? | does {h} answer? | is the server {h} up?
r {n:int} ms => {h} answered in {n} ms.
# dns: dns_lookup resolve_host ip_of
d Finds the IP address of a host name. | DNS look-up. | Resolves a domain.
a h:host
q what is the ip of {h}? | resolve {h} | dns lookup {h} | which address does {h} have on the net?
r {a:ip} => {h} has the address {a}.
# ports: scan_ports open_ports port_check
d Lists the open ports of a machine. | Which network ports listen. | Port overview by address.
a a:ip=ip,address,host
q which ports are open on {a}? | open ports of {a} | what listens on {a}?
# whoami: my_ip public_ip own_address
d Tells the own IP address. | Public address of this machine. | How the world sees this computer.
q what is my ip? | my public address? | which ip do I have? | how does the internet see me?
# certificate: certificate_check tls_expiry ssl_check
d Tells when a site's certificate ends. | TLS expiry date. | Checks the encryption of a site.
a h:host
q when does the certificate of {h} expire? | check the tls of {h} | is the ssl of {h} still valid? | certificate check {h}
r {d:date} => The certificate of {h} ends on {d}.
# install: install_package add_dependency get_package
d Installs a software package. | Adds a library. | Gets a program from the package source.
a p:service=package,name,library
q install {p} | add the package {p} | I need the library {p} | get {p} from the package registry
# uninstall: uninstall_package remove_dependency drop_package
d Removes a software package. | Uninstalls a library. | Drops a dependency.
a p:service=package,name,library
q uninstall {p} | remove the package {p} | drop the dependency {p} | we no longer need the library {p}
# unit_length: convert_length length_units metres
d Converts lengths. | Metres, miles, feet, inches. | Distance units.
a x:number u:ulen=from,source,unit v:ulen=to,target,into
q convert {x} {u} to {v} | how many {v} are {x} {u}? | {x} {u} in {v} | {x} {u} to {v}
# unit_weight: convert_weight weight_units mass
d Converts weights. | Kilograms, pounds, ounces, grams. | Mass units.
a x:number u:uwt=from,source,unit v:uwt=to,target,into
q convert {x} {u} to {v} | how many {v} are {x} {u}? | {x} {u} in {v} | {x} {u} to {v}
# unit_volume: convert_volume volume_units litres
d Converts volumes. | Litres, gallons, cups, pints. | Fluid units.
a x:number u:uvol=from,source,unit v:uvol=to,target,into
q convert {x} {u} to {v} | how many {v} are {x} {u}? | {x} {u} in {v} | {x} {u} to {v}
# unit_temp: convert_temperature temperature_units celsius
d Converts temperatures. | Celsius, Fahrenheit, Kelvin. | Degrees in another scale.
a x:temp=value,degrees,x u:utmp=from,source,unit v:utmp=to,target,into
q convert {x} degrees {u} to {v} | what is {x} {u} in {v}? | {x} {u} in {v} | how warm is {x} {u} in {v}?
# image_resize: resize_image scale_picture shrink_image
d Changes the size of a picture. | Scales an image file to a width. | Makes photos smaller.
a file:image w:int=width,size,pixels
q resize {file} to {w} pixels | make {file} {w} wide | shrink the picture {file} to {w} px | scale {file}, width {w}
# image_rotate: rotate_image turn_picture spin_image
d Turns a picture. | Rotates an image file by degrees. | Sets a photo upright.
a file:image deg:deg=degrees,angle,by
q rotate {file} by {deg} degrees | turn the picture {file} {deg} degrees | {file} lies on its side, turn it by {deg}
# image_text: read_image ocr text_in_picture
d Reads the text in a picture. | OCR of an image file. | What is written on a photo.
a file:image
q what text is in {file}? | read the words on the picture {file} | ocr {file} | what is written on the photo {file}?
# image_describe: describe_image what_is_on caption
d Describes a picture. | Says what an image shows. | Caption for a photo.
a file:image
q what is on the picture {file}? | describe {file} | caption for {file} | what does the photo {file} show?
# image_convert: convert_image image_format save_picture_as
d Saves a picture in another format. | Converts image files. | From one image type to another.
a file:image fmt:imgfmt=format,to,type
q convert the picture {file} to {fmt} | save {file} as {fmt} | I need {file} in {fmt} | make a {fmt} out of {file}
# draw: generate_image draw_picture paint
d Paints a picture of something. | Makes an image from words. | Image generator.
a what:topic=prompt,subject,of,text
q draw {what} | paint a picture of {what} | generate an image of {what} | I want an illustration about {what}
# speech: text_to_speech say_aloud speak
d Reads a text aloud. | Turns words into speech. | Voice output.
a s:sentence=text,words,message
q say "{s}" aloud | read out "{s}" | speak: "{s}" | let me hear "{s}" spoken
# transcribe: transcribe audio_to_text dictation
d Writes down what is said in a recording. | Speech to text. | Transcript of an audio file.
a file:audio
q transcribe {file} | what is said in {file}? | write down the recording {file} | turn the audio {file} into text
# audio_cut: trim_audio cut_sound shorten_recording
d Cuts an audio file to a length. | Trims a recording. | Makes sound files shorter.
a file:audio n:int=seconds,length,to
q cut {file} to {n} seconds | trim {file}, keep {n} seconds | shorten the recording {file} to {n} s
# video_info: video_info clip_length movie_file
d Tells the length of a video file. | Facts on a clip. | How long a recording with pictures runs.
a file:video
q how long is the video {file}? | video info of {file} | what resolution has the clip {file}? | duration of {file}
# subtitles: make_subtitles captions add_subtitles
d Makes subtitles for a video. | Writes captions under a film. | Text track in a language.
a file:video lang:language
q make {lang} subtitles for {file} | subtitle {file} in {lang} | I want {lang} captions under {file}
# pdf_merge: merge_pdfs join_documents combine_pdf
d Joins two PDF files. | Combines documents into one. | Merges pages.
a a:pdf=first,a,left b:pdf=second,b,right
q merge {a} and {b} | join {a} with {b} | combine the PDFs {a} and {b} into one | one document out of {a} and {b} please
# pdf_pages: count_pages page_count pdf_length
d Counts the pages of a PDF. | How many pages a document has. | Length of a PDF.
a file:pdf
q how many pages has {file}? | page count of {file} | length of {file} in pages | is {file} long, how many pages?
r {n:int} => {file} has {n} pages.
# pdf_text: pdf_to_text pdf_content extract_pdf
d Takes the text out of a PDF. | Makes a PDF readable as text. | Words of a PDF document.
a file:pdf
q get the text out of {file} | what does the pdf {file} say? | extract the words of {file} | turn {file} into plain text
# sign: sign_document signature sign_pdf
d Puts a signature under a document. | Signs a PDF in a name. | Electronic signature.
a file:pdf who:person=name,signer,as
q sign {file} as {who} | put the signature of {who} under {file} | {who} signs {file}
# remember: remember store_fact memorize
d Remembers a fact for later. | Long-term memory: stores something. | Keeps knowledge between talks.
a s:sentence=fact,text,content
q remember that {s} | keep this in your memory: {s} | memorize: {s} | for later: {s}, don't lose it
# recall: recall memory_search what_do_you_know
d Looks something up in memory. | Long-term memory: finds what was stored. | Recalls facts from earlier talks.
a t:topic=about,query,topic
q what do you remember about {t}? | did I ever tell you about {t}? | recall what you know on {t} | search your memory for {t}
# run_code: run_python execute_code code_interpreter @broad
d Runs Python code. | Executes a small program and shows its output. | Code interpreter.
a code:code_text=code,source,program
q run this code: {code} | execute {code} in python | what does {code} output? | try the program {code}
# compile: compile_project build make
d Builds the project. | Compiles the source code. | Makes the program from its sources.
q build the project | compile everything | does it compile? | make a build
r build ok => The build is ok.
# docs: search_docs documentation manual_search
d Searches the documentation. | Finds pages in the manual. | How something works, from the docs.
a t:topic=query,topic,q
q what do the docs say about {t}? | search the manual for {t} | documentation on {t} | find {t} in the documentation
# schedule_job: schedule_job cron run_later
d Runs a task at a time of day. | Plans a job for later. | Scheduler.
a s:service=job,task,name at:clock=time,at,when
q run {s} every day at {at} | schedule the job {s} for {at} | start {s} at {at} automatically | plan {s} at {at}
# feature_flag: set_flag toggle_feature feature_switch
d Switches a feature on or off. | Feature flag. | Enables or disables part of the product.
a f:token=flag,feature,name on:onoff=state,value,to,enabled
q turn the feature {f} {on} | flag {f} {on} | switch {f} {on} for everybody | set the feature {f} to {on}
# survey: create_poll poll vote
d Starts a poll. | Asks everybody a question. | Vote on something.
a s:sentence=question,text,topic
q start a poll: "{s}" | let everybody vote on "{s}" | survey with the question "{s}" | ask the group "{s}"
# domain: domain_free check_domain whois
d Tells whether a domain name is free. | Who owns a domain. | Registration of names.
a h:host=domain,name,host
q is {h} still free? | who owns {h}? | can I register {h}? | whois {h}
# meeting_room: book_room reserve_room room_booking
d Books a meeting room. | Reserves a room for a team. | Room planning.
a team:team=team,for,group day:day
q book a meeting room for {team} {day} | reserve a room {day} for the {team} team | {team} needs a room {day}
# vacation: request_vacation days_off_request leave_request
d Asks for days off. | Leave request. | Enters a vacation.
a from:date=from,start,first to:date=to,end,until
q I want vacation from {from} to {to} | request leave {from} until {to} | I will be away from {from} to {to}, enter it | days off please: {from} to {to}
# timesheet: log_hours timesheet track_time
d Records working hours. | Time sheet. | Hours spent on a project.
a n:small=hours,h,time s:service=project,on,for
q log {n} hours on {s} | I worked {n} hours on {s} | {n} h for {s} into my time sheet | book {n} hours to {s}
"""
