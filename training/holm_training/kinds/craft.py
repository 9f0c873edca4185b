"""Programs, data, text, pictures, machines, mathematics: more of what people do at a computer. Training alone shows these."""

TEXT = r"""
# rename_branch: rename_branch branch_new_name relabel_branch
d Gives a branch of the repository another name. | Changes what a line of work is called. | Renames in version control.
a branch:branch=old,from,branch w:token=new,to,name
q call the branch {branch} {w} from now on | rename branch {branch} to {w} | the line of work {branch} should be named {w}
# merge_branch: merge_branch git_merge bring_in
d Merges a branch into the current one. | Brings the work of another line in. | Joins two histories.
a branch:branch
q merge {branch} | bring {branch} in | take over everything from {branch} into what I have | join {branch} with the current work
r merged => Done: merged.
# push: git_push upload_commits publish_commits
d Sends the commits to the remote repository. | Uploads what was committed. | Lets the others see my commits.
q push | upload my commits | publish what I committed | send my work to the remote | the team can't see my commits yet
# pull: git_pull update_copy fetch_changes
d Gets the newest changes from the remote. | Brings the local copy up to date. | Downloads what others committed.
q pull | get the latest changes | update my copy of the repo | what others did should be here too
# stash: git_stash shelve_work put_changes_aside
d Puts unfinished changes aside. | Shelves the working tree. | Hides what is not committed yet.
q put my changes aside | stash | shelve my unfinished work | I need a clean tree for a moment, keep my edits
# blame: git_blame who_wrote line_author
d Tells who wrote a line of code. | Author of each line of a file. | Whose change it was.
a file:path n?:int=line,number,at
q who wrote[ line {n} of] {file}? | blame {file}[ line {n}] | whose code is {file}[, line {n}]? | author of {file}[:{n}]
r {p:person} => {p} wrote it.
# git_tag: git_tag tag_version mark_release
d Marks the present state as a version. | Sets a tag in the repository. | Pins a release.
a v:version
q tag this as {v} | mark the state as version {v} | set the tag {v} | this is release {v}, pin it
# open_pr: open_pull_request propose_change merge_request
d Proposes changes for review. | Opens a pull request with a title. | Asks others to take a branch over.
a t:title=title,subject,name
q open a pull request: {t} | propose my changes as {t} | merge request titled {t} | I want a review, call it {t}
# review_pr: review_code approve_changes look_at_pr
d Approves or comments a proposed change. | Code review by number. | Looks at a pull request.
a n:int=number,pr,id
q review pull request {n} | look at the proposed change {n} | can somebody check number {n} of the open changes?
# ci: pipeline_status ci_state build_result
d Tells how the automatic build went. | State of the pipeline on a branch. | Whether continuous integration is green.
a branch:branch
q is the pipeline of {branch} green? | ci state {branch} | did the automatic build of {branch} pass? | how is {branch} doing in the build farm?
r passed => The pipeline of {branch} passed.
# coverage: test_coverage coverage_report lines_tested
d Tells how much of the code is tested. | Coverage in percent. | Which part no test touches.
a s:service=module,component,of
q how well is {s} tested? | coverage of {s} | which share of {s} do tests touch? | are there enough tests for {s}, in percent?
r {n:percent} percent => {n} percent of {s} is covered.
# profile: profile_program find_slow_code hot_spots
d Finds out where a program spends its time. | Hot spots in code. | Profiler.
a file:path=program,file,script
q why is {file} so slow? | profile {file} | where does {file} spend its time? | hot spots of {file}
# complexity: code_complexity hard_functions measure_code
d Measures how complicated code is. | Functions that are hard to read. | Code metrics of a file.
a file:path
q how complicated is {file}? | code metrics of {file} | which functions in {file} are too hard? | measure the complexity of {file}
# todo_scan: find_todos open_markers list_fixmes
d Lists the remarks that something is unfinished. | TODO and FIXME marks in sources. | What programmers left for later.
a dir:folder
q which todos are in the code of {dir}? | list the fixmes under {dir} | what is unfinished in the sources of {dir}? | open markers in {dir}
# rename_symbol: rename_symbol refactor_name change_identifier
d Renames a function everywhere in the code. | Refactoring: another identifier. | Changes a name in all sources.
a old:token=old,from,symbol new:token=new,to,name
q rename the function {old} to {new} everywhere | the identifier {old} shall be {new} | refactor {old} into {new}
# gen_docs: generate_docs doc_comments write_api_docs
d Makes documentation from source code. | API pages for a file. | Turns comments into a manual.
a file:path
q make documentation for {file} | API pages of {file} | document the code in {file} | turn the comments of {file} into a manual
# explain_code: explain_code what_does_code_do read_source
d Explains what a source file does. | Puts code into plain words. | Understands programs.
a file:path
q explain the code in {file} | what is {file} good for, in plain words? | I don't understand the program {file} | walk me through the source {file}
# make_tests: write_tests generate_tests unit_tests_for
d Writes tests for a source file. | Generates unit tests. | Adds checks for code.
a file:path
q write tests for {file} | {file} has no unit tests, make some | generate checks for the code in {file}
# deps: outdated_packages check_updates old_dependencies
d Lists libraries that are out of date. | Which dependencies have newer versions. | Update check of a project.
q are our libraries up to date? | outdated packages? | which dependencies are old? | is there something to upgrade?
# vulns: security_scan known_holes audit_packages
d Looks for known security holes. | Audits the libraries in use. | Vulnerabilities of a project.
q are there security holes in our libraries? | audit the packages | known vulnerabilities? | is our project safe to use, scan it
# license_check: check_licenses license_list allowed_licenses
d Lists the licences of all libraries. | Whether the terms of the code we use allow selling. | Legal check of dependencies.
q which licences do our libraries have? | may we sell this, check the licences | licence list of the dependencies
# env_var: get_env_var read_variable environment_value
d Reads an environment variable. | Value that the system gives to programs. | Setting of the process.
a w:envvar=name,variable,key
q what is {w} set to? | value of the variable {w} | read {w} from the environment | is {w} set?
r {x:token} => {x}
# set_config: set_config change_setting configure
d Changes a setting of the program. | Writes a configuration value. | Configures a key.
a w:column=key,setting,name v:token=value,to,new
q set {w} to {v} in the configuration | configure {w} as {v} | the setting {w} must be {v}
# get_config: get_config show_setting read_config
d Shows a setting of the program. | Reads one configuration value. | What a key is configured to.
a w:column=key,setting,name
q what is {w} configured to? | show the setting {w} | which value has {w} in the configuration?
# cron_list: list_cron scheduled_jobs timers
d Lists jobs that run by the clock. | Scheduled tasks of the machine. | What starts automatically.
q which jobs run automatically? | list the scheduled tasks | what does the machine do by the clock? | cron jobs?
# reboot: reboot_machine restart_computer power_cycle
d Restarts the whole computer. | Reboots a machine by address. | Turns it off and on again.
a a:ip=machine,address,host
q reboot {a} | turn {a} off and on again | restart the computer {a} | the machine {a} hangs, power cycle it
# uptime: machine_uptime since_when_up running_since
d Tells since when a machine runs. | Uptime. | Last boot of a computer.
a a:ip=machine,address,host
q since when does {a} run? | uptime of {a} | when was {a} booted? | how long is {a} on already?
r {n:int} days => {a} has run for {n} days.
# disk_usage: disk_usage folder_size space_of
d Tells how much space a folder takes. | Size of a directory with all in it. | What fills the disk.
a dir:folder
q how big is the folder {dir}? | space used by {dir} | size of everything in {dir} | does {dir} fill the disk?
r {n:int} MB => {dir} takes {n} MB.
# permissions: change_permissions chmod set_access
d Changes who may read or write a file. | Access rights. | File mode.
a file:path m:mode
q set the rights of {file} to {m} | chmod {m} {file} | change the mode of {file} to {m} | who may open {file}? Make it {m}
# owner: change_owner chown give_file_to
d Gives a file to another user. | Changes the owner on disk. | Ownership of files.
a file:path who:first=user,owner,to
q {file} shall belong to {who} | change the owner of {file} to {who} | chown {who} {file} | hand the file {file} to the user {who}
# symlink: make_link symlink shortcut
d Makes a link to a file. | Shortcut under another path. | Points one name to another.
a file:path=target,to,original dest:path=link,name,at
q link {dest} to {file} | a shortcut {dest} that points to {file} | symlink from {dest} to {file}
# split_file: split_file cut_file parts_of
d Cuts a file into parts. | Splits by size in megabytes. | Several pieces out of one big file.
a file:path n:small=mb,size,megabytes
q cut {file} into pieces of {n} MB | split {file}, {n} megabytes each | {file} is too big, make parts of {n} MB
# dedupe: remove_duplicates unique_lines dedupe_file
d Takes repeated lines out of a file. | Keeps every line once. | Removes duplicates.
a file:path
q remove the duplicates from {file} | every line of {file} only once please | dedupe {file} | there are repeated lines in {file}, drop them
# sort_lines: sort_file order_lines alphabetical
d Puts the lines of a file in alphabetical order. | Sorts a text file. | Orders entries from A to Z.
a file:path
q sort {file} | alphabetical order for the lines of {file} | bring {file} into order from A to Z | the entries of {file} are in a jumble, order them
# encrypt_file: encrypt_file lock_file protect_file
d Makes a file unreadable without a key. | Encryption on disk. | Protects a document from others' eyes.
a file:path
q encrypt {file} | nobody else must read {file} | protect {file} with a key | make {file} secret
# decrypt_file: decrypt_file unlock_file make_readable
d Makes an encrypted file readable again. | Decryption. | Undoes the protection of a document.
a file:path
q decrypt {file} | make {file} readable again | undo the encryption of {file} | I need the clear text of {file}
# sync: sync_folders mirror_folder keep_in_step
d Makes two folders hold the same. | Mirrors a directory elsewhere. | Keeps copies in step.
a a:folder=from,source,left b:folder=to,target,right
q sync {a} with {b} | mirror {a} to {b} | {b} should hold the same as {a} | keep {a} and {b} in step
# trash: empty_trash clear_bin purge_deleted
d Empties the recycle bin. | Frees what deleted files still take. | Purges for good.
q empty the trash | clear the recycle bin | get rid of deleted files for good | the bin on my desktop is full
# recent: recent_files last_opened what_did_i_edit
d Lists the files used last. | What was worked on lately. | Recently opened documents.
q which files did I use last? | recent documents | what did I work on lately? | I had something open before lunch, what was it?
# favourites: add_bookmark save_page bookmark
d Saves a page to the bookmarks. | Keeps a link for later. | Favourites of the browser.
a url:url
q bookmark {url} | keep {url} for later | add {url} to my favourites | I want to find {url} again
# speed: speed_test internet_speed bandwidth
d Measures how fast the internet is. | Download rate of the line. | Bandwidth test.
q how fast is my internet? | speed test | is the line slow? | measure the bandwidth | why does everything load so slowly, how many megabits?
r {n:int} Mbit/s => The line has {n} Mbit/s.
# seo: page_rank seo_check search_visibility
d Tells how well a page is found by search engines. | Visibility on the web. | Ranking of a site.
a url:url
q how well is {url} found? | seo check {url} | ranking of {url} in search engines | do people find {url} online?
# shorten: shorten_url short_link tiny_link
d Makes a long link short. | Short address for a page. | Something easy to type instead of a URL.
a url:url
q shorten {url} | a short link for {url} | {url} is too long to type, make it tiny
# page_watch: watch_page notify_on_change page_monitor
d Tells when a page changes. | Watches a website. | Alert on new content.
a url:url
q tell me when {url} changes | watch the page {url} | alert me about new things on {url} | keep an eye on {url}
# feed: read_feed rss_entries new_posts
d Lists new entries of a feed. | RSS reader. | What a blog wrote lately.
a url:url
q new entries in {url}? | read the feed {url} | what did the blog {url} post lately? | rss {url}
# table_insert: insert_row add_record table_add
d Adds a row to a database table. | New record with one value. | Inserts.
a t:table c:column v:token=value,content,data
q add a row to {t} with {c} {v} | insert {v} as {c} into {t} | new record in {t}: {c} is {v}
# table_update: update_rows change_column set_values
d Changes values in a database table. | Writes a column anew. | Updates records.
a t:table c:column v:token=value,to,new
q set {c} to {v} in the table {t} | change the column {c} of {t} to {v} | all rows of {t} get {c} {v}
# index_add: create_index speed_up_table add_index
d Makes look-ups in a table faster. | Adds an index on a column. | Database tuning.
a t:table c:column
q queries on {t} by {c} are slow, add an index | index {c} of {t} | speed up {t} for look-ups by {c}
# query_explain: explain_query why_slow_query query_plan
d Shows how the database carries a query out. | Plan of a statement. | Why SQL is slow.
a s:sql=query,sql,statement
q why is this slow: {s} | query plan for {s} | how does the database run {s}? | explain the statement {s}
# db_size: database_size table_space biggest_tables
d Tells how large the database is. | Space that tables take. | Growth of the data store.
q how large is the database? | which tables take the most room? | size of our data store | is the db growing too much?
r {n:int} GB => The database has {n} GB.
# cache_clear: clear_cache flush_cache forget_cached
d Throws cached data away. | Flushes the cache of a service. | Makes old copies vanish.
a s:service=service,cache,of
q clear the cache of {s} | flush {s} | users of {s} see old data, forget what is cached | drop cached copies in {s}
# queue: queue_length waiting_jobs backlog_size
d Tells how many jobs wait. | Length of a queue. | Work that piles up.
a s:service=queue,name,service
q how many jobs wait for {s}? | queue length of {s} | does work pile up at {s}? | backlog of {s}
r {n:int} => {n} jobs wait for {s}.
# alert_rule: create_alert_rule warn_when threshold
d Warns when a value gets too high. | Threshold on a service's measure. | Alerting rule.
a s:service c:column=metric,measure,value n:int=limit,above,threshold
q warn me when {c} of {s} goes above {n} | alert on {s}: {c} over {n} | threshold {n} for {c} in {s}
# on_call: who_is_on_call duty_engineer pager
d Tells who is on call. | Engineer on duty for a team. | Whom to wake at night.
a team:team
q who is on call for {team}? | duty engineer of {team} | whom can I wake if {team} has a problem? | pager of {team}
r {p:person} => {p} is on call for {team}.
# secret: rotate_key renew_secret new_token
d Replaces an access key with a new one. | Rotates the secret of a service. | Old keys stop working.
a s:service
q rotate the key of {s} | {s} needs a new secret | the token of {s} leaked, replace it
# user_lock: lock_account disable_user suspend_login
d Stops a user from logging in. | Disables an account. | Locks a person out.
a e:email=user,account,email
q lock the account {e} | {e} must not log in any more | disable {e} | suspend the login of {e}
# user_unlock: unlock_account enable_user allow_login
d Lets a user log in again. | Enables an account. | Lifts the lock on a person.
a e:email=user,account,email
q unlock {e} | {e} may log in again | enable the account of {e} | {e} is locked out, let them in
# grant_role: grant_role give_rights add_permission
d Gives a user a role. | More rights for somebody. | Access control.
a e:email=user,account,who r:role
q make {e} a {r} | give {e} the role {r} | {e} needs {r} rights | permission {r} for {e}
# bucket: upload_file store_in_cloud put_object
d Uploads a file to the cloud. | Stores an object online. | Puts a document where all can get it.
a file:path
q upload {file} | put {file} into the cloud | store {file} online | {file} should be reachable from everywhere
# share_link: share_file get_share_link public_link
d Makes a link under which others can get a file. | Sharing of documents. | Public address for a file.
a file:path
q share {file} by link | a public link to {file} | how can others get {file}? Make an address | let people download {file}
# text_diff: spot_difference diff_text changed_words
d Says where two texts differ. | Changed words between two sentences. | What was altered.
a a:phrase=first,a,before b:phrase=second,b,after
q where do "{a}" and "{b}" differ? | which words changed between "{a}" and "{b}"? | what was altered from "{a}" to "{b}"?
# title_case: title_case capitalise_words headline_style
d Writes every word with a capital. | Headline style. | Makes titles.
a s:phrase=text,input,title
q "{s}" in title case | capital letters at each word of "{s}" | headline style for "{s}"
# trim: trim_text strip_spaces tidy_whitespace
d Takes superfluous spaces away. | Tidies white space in a text. | Strips both ends.
a s:phrase=text,input,string
q strip the spaces of "{s}" | tidy the blanks in "{s}" | "{s}" without extra spaces
# truncate: shorten_text cut_text limit_length
d Cuts a text to a number of characters. | Shortens to fit. | Limits the length.
a s:phrase=text,input,string n:small=length,chars,max
q cut "{s}" to {n} characters | only the first {n} letters of "{s}" | "{s}" must fit into {n} characters
# repeat: repeat_text say_again multiply_text
d Repeats a text some times. | Writes the same again and again. | Multiplies words.
a s:phrase=text,input,what n:small=times,count,n
q repeat "{s}" {n} times | write "{s}" {n} times | "{s}" again and again, {n} times
# replace_words: swap_word replace_in_text exchange_word
d Replaces a word in a given text. | Swaps one word for another. | Rewrites a phrase.
a s:phrase=text,in,input a:token=old,from,find b:token=new,to,with
q in "{s}" put {b} for {a} | exchange {a} by {b} in the text "{s}" | the phrase "{s}" with {b} instead of {a}
# keywords: extract_keywords main_words topics_of
d Finds the main words of a text. | Keywords of a passage. | What it is about, in single words.
a s:sentence=text,input,passage
q keywords of "{s}" | main words in "{s}" | what is "{s}" about, in single words?
# readability: readability how_easy reading_level
d Tells how easy a text is to read. | Reading level. | Whether children would understand it.
a s:sentence=text,input,passage
q is "{s}" easy to read? | reading level of "{s}" | would a child understand "{s}"?
# rewrite: rewrite_text say_differently paraphrase
d Says the same in other words. | Paraphrases a sentence. | Another wording.
a s:sentence=text,input,sentence
q say "{s}" differently | rewrite "{s}" | other words for the sentence "{s}" | paraphrase "{s}"
# formal: make_formal polite_version business_tone
d Makes a text sound formal. | Polite business tone. | For letters to strangers.
a s:sentence=text,input,sentence
q "{s}", but formal | business tone for "{s}" | make "{s}" polite enough for a client
# bullet: make_bullets list_from_text points
d Turns a text into bullet points. | A list out of sentences. | Structures a passage.
a s:sentence=text,input,passage
q bullet points of "{s}" | make a list out of "{s}" | structure "{s}" as points
# md_html: markdown_to_html render_markdown to_html
d Turns a Markdown file into HTML. | Renders a text for the browser. | Makes a web page of notes.
a file:path
q make html of {file} | render {file} for the browser | {file} as a web page | convert the markdown {file}
# csv_json: csv_to_json convert_table table_as_json
d Turns a table file into JSON. | Converts rows to objects. | Data format change.
a file:path
q convert {file} to json | rows of {file} as objects | I need the table {file} in json form
# csv_filter: filter_rows rows_where select_rows
d Shows the rows of a table that fit. | Filters by a column's value. | Selects records from a file.
a file:path c:column v:token=value,equals,is
q rows of {file} where {c} is {v} | filter {file} by {c} {v} | which records in {file} have {c} {v}? | only the lines with {c} = {v} from {file}
# csv_mean: column_average mean_of average_value
d Works out the average of a column. | Mean value in a table file. | Typical number of a field.
a file:path c:column
q average {c} in {file} | mean of the column {c}, file {file} | what is {c} on average in {file}? | typical {c} according to {file}
r {n:number} => The average {c} in {file} is {n}.
# csv_max: column_maximum highest_value top_entry
d Finds the highest value of a column. | Largest number in a table file. | Top entry.
a file:path c:column
q highest {c} in {file} | largest value of {c}, file {file} | which {c} is the top one in {file}? | maximum of {c} from {file}
r {n:number} => The highest {c} in {file} is {n}.
# row_count: count_rows_csv table_length how_many_rows
d Counts the rows of a table file. | How many records a CSV has. | Number of entries.
a file:path
q how many rows has the table {file}? | records in {file}? | count the entries of {file} | how many data sets are in {file}?
r {n:int} => {file} has {n} rows.
# json_get: json_value read_json_key field_of_json
d Reads one key of a JSON file. | Value of a field in structured data. | Picks a part of a document.
a file:path c:column=key,field,path
q what is {c} in the json {file}? | read the key {c} of {file} | value of {c} from {file} | which {c} does the structured file {file} hold?
r {x:token} => The {c} is {x}.
# yaml_check: validate_yaml yaml_ok check_config_file
d Tells whether a configuration file is well formed. | Syntax check of YAML. | Finds where indentation is wrong.
a file:path
q is {file} valid yaml? | syntax check of the configuration {file} | is the indentation of {file} right? | validate {file}
# regex: test_regex match_pattern try_expression
d Tries a regular expression on a text. | Whether a pattern matches. | Tests a regex.
a p:pattern=pattern,regex,expression s:phrase=text,on,input
q does {p} match "{s}"? | try the pattern {p} on "{s}" | test {p} against "{s}"
# stats: describe_numbers statistics mean_and_median
d Gives mean, median and spread of numbers. | Statistics of a list. | Sums a series up.
a s:numbers
q statistics of {s} | mean and median of {s} | how do {s} spread? | describe the numbers {s}
# max_of: largest_number maximum biggest_of
d Names the largest of some numbers. | Maximum. | Which value is highest.
a s:numbers
q which is the largest: {s}? | maximum of {s} | highest value among {s} | biggest of {s}
r {n:int} => The largest is {n}.
# sort_numbers: sort_numbers order_values ascending
d Puts numbers in order. | Ascending list. | From small to large.
a s:numbers
q sort {s} | from small to large: {s} | put {s} in order | ascending: {s}
# factor: prime_factors factorise decompose_number
d Takes a number apart into primes. | Prime factors. | Which primes multiplied give it.
a n:int=number,value,n
q prime factors of {n} | factorise {n} | which primes make up {n}? | take {n} apart
# gcd: common_divisor gcd greatest_divisor
d Greatest number that divides two others. | Common divisor. | gcd.
a a:int=a,first,x b:int=b,second,y
q greatest common divisor of {a} and {b} | what divides both {a} and {b}? | gcd {a} {b}
# power: raise_to_power exponent to_the
d Raises a number to a power. | Multiplies a number by itself several times. | Exponentiation.
a a:small=base,number,x b:small=exponent,power,n
q {a} to the power of {b} | raise {a} to {b} | what is {a} multiplied by itself {b} times?
r {n:int} => That is {n}.
# circle: circle_area area_of_circle disc_area
d Area of a circle. | How large a disc of some radius is. | Round surface.
a r:number=radius,r,half
q area of a circle with radius {r} | how large is a disc of radius {r}? | round table, radius {r}, which surface?
r {n:number} => The area is {n}.
# rectangle: rectangle_area floor_area surface
d Area of a rectangle. | Length times width of a floor. | Square metres of a space.
a a:number=length,a,long b:number=width,b,wide
q area of {a} by {b} | a floor {a} long and {b} wide, how many square metres? | rectangle {a} x {b}
r {n:number} => The area is {n}.
# bmi: bmi body_mass weight_index
d Works out the body mass index. | Whether weight fits height. | BMI.
a kg:int=kg,weight,mass cm:int=cm,height,tall
q bmi for {kg} kg and {cm} cm | am I too heavy with {kg} kg at {cm} cm? | body mass index, {cm} cm tall, {kg} kg
r {n:number} => The BMI is {n}.
# binary: to_binary base_two bits_of
d Writes a number in zeros and ones. | Binary form. | Base two.
a n:int=number,value,n
q {n} in binary | bits of {n} | write {n} with zeros and ones | base two of {n}
# hex: to_hex hexadecimal base_sixteen
d Writes a number in base sixteen. | Hexadecimal form. | Digits up to F.
a n:int=number,value,n
q {n} in hex | hexadecimal of {n} | base sixteen: {n}
# epoch: unix_time to_timestamp seconds_since
d Turns a date into seconds since 1970. | Unix time stamp. | Epoch conversion.
a d:date=date,day,of
q unix time of {d} | timestamp for {d} | seconds since 1970 until {d}
r {n:int} => {d} is {n}.
# age: age_of how_old years_since
d Tells how old somebody born on a date is. | Age in years. | Years since a birth.
a d:date=born,birthday,date
q how old is somebody born on {d}? | age with birthday {d} | born {d}, how many years?
r {n:int} years => That is {n} years.
# days_until: days_until countdown_to_date how_long_until
d Counts the days to a date. | How long something is still away. | Sleeps until then.
a d:date=date,until,to
q how many days until {d}? | how long is it to {d}? | sleeps until {d}? | when it is {d}, how many days have passed?
r {n:int} days => It is {n} days until {d}.
# tz_convert: convert_timezone time_there meeting_time
d Turns a time of day into another time zone. | What a clock time is elsewhere. | For calls across the world.
a t:clock=time,at,clock z:zone=zone,to,tz
q what is {t} in {z}? | convert {t} to {z} | {t} here is when in {z}? | time zone {z} at {t}
# crop_image: crop_image cut_picture trim_photo
d Cuts a part out of a picture. | Crops to a width. | Removes the edges of a photo.
a file:image w:int=width,pixels,to
q crop {file} to {w} pixels | cut the edges off {file}, keep {w} px | only the middle {w} pixels of the photo {file}
# bw_image: make_grayscale black_and_white remove_colour
d Takes the colours out of a picture. | Black and white photo. | Grey levels.
a file:image
q make {file} black and white | the photo {file} without colours | grey version of {file}
# blur: blur_faces anonymise_photo hide_faces
d Makes faces in a picture unrecognisable. | Blurs people. | Anonymises photos.
a file:image
q blur the faces in {file} | nobody on {file} should be recognised | anonymise the photo {file}
# background: remove_background cut_out transparent
d Takes the background away from a picture. | Leaves only the object. | Transparent image.
a file:image
q remove the background of {file} | only the object in {file} please | make {file} transparent around the thing
# watermark: add_watermark stamp_image mark_picture
d Writes a name across a picture. | Watermark. | Marks photos as one's own.
a file:image w:title=text,mark,name
q put the watermark {w} on {file} | write {w} across the picture {file} | mark {file} with {w}
# gif: make_gif animate video_to_gif
d Makes a short animation out of a video. | Moving image for chats. | GIF from a clip.
a file:video
q make a gif of {file} | animation out of {file} | I want {file} as a moving image
# video_cut: cut_video trim_clip shorten_video
d Cuts a video to a length. | Trims a clip. | Keeps only the first seconds of a film.
a file:video n:int=seconds,length,keep
q cut the video {file} to {n} seconds | trim {file}, {n} s | only the first {n} seconds of the film {file}
# extract_audio: audio_from_video sound_track save_sound
d Takes the sound out of a video. | Saves the audio track. | Film to sound file.
a file:video
q get the sound out of {file} | audio track of {file} | I only want to hear {file}, save the sound
# audio_join: join_audio merge_sounds one_recording
d Puts two recordings one after the other. | Joins sound files. | One track out of two.
a a:audio=first,a,one b:audio=second,b,two
q join {a} and {b} to one recording | {b} after {a} in one sound file | merge the tracks {a} and {b}
# noise: reduce_noise clean_audio denoise
d Takes noise out of a recording. | Makes speech clearer. | Cleans sound.
a file:audio
q clean the noise from {file} | the recording {file} hisses, fix it | make the speech in {file} clearer
# slides: make_slides presentation_from deck
d Makes a presentation on a topic. | Slides with a number of pages. | Deck for a talk.
a t:topic=topic,about,subject n?:small=pages,slides,count
q make slides about {t}[, {n} pages] | a presentation on {t}[ with {n} slides] | I give a talk on {t}, prepare a deck[ of {n}]
# mind_map: mind_map idea_map map_thoughts
d Draws ideas around a subject. | Mind map. | Branches of thoughts.
a t:topic=topic,centre,subject
q mind map about {t} | draw my thoughts around {t} | idea map: {t}
# flow_chart: draw_diagram flow_chart sketch_process
d Draws a process as boxes and arrows. | Flow chart. | Diagram of steps.
a t:title=process,of,title
q flow chart of {t} | draw the process {t} with boxes | diagram how {t} works
# cite: make_citation cite_source bibliography_entry
d Writes a source as a citation. | Entry for the list of references. | How to quote a page.
a url:url
q cite {url} | citation for {url} | how do I quote {url} in my paper? | reference entry of {url}
# plagiarism: check_plagiarism copied_text originality
d Tells whether a text was copied. | Compares a document with what others wrote. | Originality check.
a file:path
q is {file} copied from somewhere? | plagiarism check of {file} | did the student write {file} alone?
# flashcard: make_flashcards study_cards learn_cards
d Makes cards to learn from. | Study material on a topic. | Question and answer cards.
a t:topic=topic,subject,about
q flashcards on {t} | I have to learn {t}, make cards | study material for {t}
# send_file: send_file drop_file give_file
d Sends a file to a person. | Gives somebody a document. | File transfer to a mail address.
a file:path to:email
q send the file {file} to {to} | {to} needs {file} | let {to} have {file} | pass {file} on to {to}
# webhook: call_webhook trigger_hook post_event
d Triggers an event at an address. | Calls a web hook. | Tells another system that something happened.
a url:url
q trigger {url} | call the hook {url} | fire the event at {url}
# clipboard: copy_to_clipboard put_in_clipboard remember_text
d Puts a text on the clipboard. | Ready to paste. | Copies words for another program.
a s:phrase=text,content,what
q copy "{s}" to the clipboard | I want to paste "{s}" elsewhere | put "{s}" on the clipboard
# window: arrange_window window_side snap
d Moves a program's window on the screen. | Snaps an app to one side. | Arranges the desktop.
a a:app s:side
q put {a} on the {s} | snap {a} to the {s} side | the window of {a} should be {s}
# close_app: close_app quit_program end_app
d Closes an app. | Quits a program by name. | Ends software that is open.
a a:app=app,name,program
q close {a} | quit {a} | I don't need {a} any more, end it | shut the program {a}
# dark_mode: dark_mode night_theme set_theme
d Switches dark colours on or off. | Night theme of the screen. | Easier on the eyes.
a on:onoff=state,value,to
q dark mode {on} | turn the night theme {on} | my eyes hurt, dark colours {on}
# bluetooth: connect_device pair_bluetooth wireless_pair
d Connects a wireless device. | Pairs a gadget over Bluetooth. | Makes headphones and the like work.
a item:product=device,name,gadget
q pair the {item} | connect my {item} wirelessly | bluetooth: {item} | the {item} should talk to this computer
# airplane: airplane_mode radio_off flight_mode
d Switches all radio off or on. | Flight mode. | No network at all.
a on:onoff=state,value,to
q flight mode {on} | turn airplane mode {on} | all radio signals: airplane {on}
# update_system: system_update install_updates patch_system
d Installs the newest system updates. | Patches the computer. | Brings the operating system up to date.
q update the system | install the updates | is my computer up to date? Patch it | bring the operating system to the newest state
"""
