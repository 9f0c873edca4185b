"""Files, folders, text in files, the shell: what an agent does all day."""

TEXT = r"""
# list_files: list_files ls dir_list show_folder files_in list_directory
d Lists the files in a folder. | Shows what a directory contains. | Names of all entries in a directory. | Folder contents, one per line.
a dir?:folder
q list the files[ in {dir}] | what files are there[ in {dir}]? | show me everything[ inside {dir}] | which files do I have[ under {dir}]? | what is[ in the folder {dir}| in this folder]? | give me a listing[ of {dir}] | ls[ {dir}] | what's lying around[ in {dir}| here]?
f zeig mir die Dateien[ in {dir}] | welche Dateien liegen[ in {dir}| hier]? | liste les fichiers[ de {dir}] | muestra los archivos[ de {dir}] | elenca i file[ in {dir}] | toon de bestanden[ in {dir}]
# read_file: read_file cat open_file show_file get_file_text view_file
d Reads a text file. | Returns the text of a file. | Shows what is written in a file. | Opens a document and gives its content.
a file:path
q read {file} | show me {file} | what does {file} say? | open {file} | print the content of {file} | what is written in {file}? | cat {file} | let me see what's in {file} | display {file}
f lies {file} | was steht in {file}? | lis le fichier {file} | que dice {file}? | leggi {file} | open het bestand {file}
r {x:sentence} => {file} says: {x}
# write_file: write_file save_text create_file put_file
d Writes text to a file. | Saves a text under a file name. | Creates a file with the given content.
a file:path text:sentence=text,content,body
q write "{text}" to {file} | save "{text}" in {file} | create {file} with the text "{text}" | put "{text}" into {file} | make a file {file} containing "{text}" | store "{text}" as {file}
f schreib "{text}" in {file} | enregistre "{text}" dans {file} | guarda "{text}" en {file}
r wrote {n:int} bytes => Done: wrote {n} bytes.
# append_file: append_file add_line add_to_file
d Adds a line at the end of a file. | Appends text to an existing file. | Puts text behind what a file already holds.
a file:path text:sentence=text,line,content
q append "{text}" to {file} | add the line "{text}" to {file} | put "{text}" at the end of {file} | extend {file} by "{text}" | tack "{text}" onto {file}
# delete_file: delete_file rm remove_file erase_file
d Deletes a file. | Removes a file for good. | Erases one file from the disk.
a file:path
q delete {file} | remove the file {file} | get rid of {file} | erase {file} | rm {file} | throw {file} away | {file} can go, delete it
f lösche {file} | supprime {file} | borra {file} | verwijder {file}
r removed {file} => Done: removed {file}.
# move_file: move_file rename_file mv
d Moves or renames a file. | Gives a file another place or name. | Renames a file.
a file:path=from,source,old,path dest:path=to,target,new,destination
q move {file} to {dest} | rename {file} to {dest} | {file} should be called {dest} from now on | mv {file} {dest} | put {file} at {dest}
r moved => Done: moved.
# copy_file: copy_file duplicate_file cp
d Copies a file. | Makes a second copy of a file elsewhere. | Duplicates a file under another name.
a file:path=from,source,path,original dest:path=to,target,destination,copy
q copy {file} to {dest} | make a copy of {file} at {dest} | duplicate {file} as {dest} | cp {file} {dest} | I want {file} twice, the second one as {dest}
# make_folder: make_folder mkdir create_directory new_folder
d Creates a folder. | Makes a new directory. | Adds an empty folder.
a dir:folder
q create the folder {dir} | make a directory {dir} | mkdir {dir} | I need a new folder {dir} | set up an empty folder called {dir}
f erstelle den Ordner {dir} | crée le dossier {dir} | crea la carpeta {dir}
r created {dir} => Done: created {dir}.
# find_text: grep find_text search_files text_search
d Searches files for a word. | Finds the lines that contain a text. | Looks for a string inside files. | Full text search through a folder.
a word:token=pattern,query,text,word dir?:folder=path,folder,dir,where
q find "{word}"[ in {dir}] | search for the word {word}[ in {dir}] | where does "{word}" occur[ in {dir}]? | grep {word}[ {dir}] | which files mention {word}[ under {dir}]? | look for {word}[ inside {dir}] | is the word {word} used anywhere[ in {dir}]?
f suche nach "{word}"[ in {dir}] | cherche "{word}"[ dans {dir}] | busca "{word}"[ en {dir}] | cerca "{word}"[ in {dir}]
r {p:path}:{n:int}: the {word} is here => Found in {p}, line {n}.
# find_files: glob find_files locate_files match_names
d Finds files by name pattern. | Lists paths that match a wildcard. | Looks up files whose names fit a pattern.
a mask:pattern dir?:folder=path,folder,dir,root
q find all files matching {mask}[ in {dir}] | which files match {mask}[ under {dir}]? | glob {mask}[ in {dir}] | locate {mask}[ in {dir}] | are there any {mask} files[ in {dir}]?
# count_lines: count_lines line_count wc number_of_lines
d Counts the lines of a file. | Tells how many lines a file has. | Number of lines in a text file.
a file:path
q how many lines does {file} have? | count the lines of {file} | number of lines in {file} | how long is {file} in lines? | line count for {file} | tell me how many lines are in {file}
f wie viele Zeilen hat {file}? | combien de lignes dans {file}? | cuántas líneas tiene {file}?
r {n:int} => {file} has {n} lines.
# file_size: file_size size_of bytes_of
d Tells the size of a file. | How many bytes a file takes. | Size on disk of one file.
a file:path
q how big is {file}? | what is the size of {file}? | how many bytes is {file}? | size of {file} | does {file} take much space? | how much room does {file} take on disk?
f wie groß ist {file}? | quelle est la taille de {file}? | qué tamaño tiene {file}?
r {n:int} bytes => {file} is {n} bytes.
# largest_file: largest_file biggest_file top_sizes
d Finds the largest file in a folder. | Which file takes the most space. | The biggest file of a directory.
a dir?:folder
q what is the biggest file[ in {dir}]? | find the largest file[ in {dir}] | which file takes the most space[ in {dir}]? | biggest file[ under {dir}]? | what eats the most disk[ in {dir}]?
f was ist die größte Datei[ in {dir}]? | quel est le plus gros fichier[ dans {dir}]?
r {p:path} {n:int} => The largest is {p} with {n} bytes.
# file_modified: file_modified last_change mtime
d Tells when a file was last changed. | Date of the last modification of a file. | When somebody last touched a file.
a file:path
q when was {file} last changed? | last modification of {file} | how old is {file}? | when did somebody touch {file}? | since when is {file} unchanged?
r {d:date} => {file} was last changed on {d}.
# replace_text: replace_text edit_file substitute
d Replaces a word in a file. | Edits a file: swaps one text for another. | Exact replacement inside a file.
a file:path old:token=old,find,from,before new:token=new,replace,with,after
q replace {old} with {new} in {file} | change {old} to {new} in {file} | in {file}, swap {old} for {new} | edit {file}: {old} should become {new} | substitute {new} for {old} in {file}
r 1 replacement => Done: 1 replacement.
# head_file: head_file first_lines top_of_file
d Shows the first lines of a file. | The beginning of a file. | Reads only the top of a text file.
a file:path n?:small=lines,n,count,limit
q show the first[ {n}] lines of {file} | head of {file}[, {n} lines] | how does {file} begin[? {n} lines]? | give me the top[ {n}] lines of {file} | only the beginning of {file}[, {n} lines]
# tail_file: tail_file last_lines end_of_file
d Shows the last lines of a file. | The end of a file. | Reads only the bottom of a text file.
a file:path n?:small=lines,n,count,limit
q show the last[ {n}] lines of {file} | tail of {file}[, {n} lines] | how does {file} end[? {n} lines]? | give me the bottom[ {n}] lines of {file} | what was written last in {file}[? {n} lines]
# compare_files: compare_files diff file_diff
d Compares two files. | Shows the differences between two files. | Line by line difference of files.
a file:path=left,a,first,old dest:path=right,b,second,new
q compare {file} with {dest} | what is different between {file} and {dest}? | diff {file} {dest} | are {file} and {dest} the same? | how does {dest} differ from {file}?
# zip_folder: zip_folder compress pack_folder
d Packs a folder into an archive. | Compresses a directory to one file. | Makes a zip of a folder.
a dir:folder=folder,path,source,dir out:filename=out,archive,name,target
q zip {dir} as {out} | compress the folder {dir} into {out} | pack {dir} to {out} | make an archive {out} of {dir} | bundle {dir} up as {out}
# unpack: unpack_archive unzip extract_archive
d Unpacks an archive. | Extracts the files of a zip. | Takes a compressed file apart.
a file:path=archive,file,path,zip
q unpack {file} | unzip {file} | extract the archive {file} | open up the zip {file} | get the files out of {file}
# file_hash: file_hash checksum sha256
d Computes the checksum of a file. | SHA-256 of a file. | A fingerprint of a file's bytes.
a file:path
q what is the checksum of {file}? | hash {file} | sha256 of {file} | fingerprint {file} | give me a digest of {file} for verification
# extract_emails: extract_emails find_emails mail_addresses
d Extracts the email addresses from a file. | Finds all mail addresses in a document. | Pulls e-mail addresses out of a text file.
a file:path
q extract the emails from {file} | which email addresses are in {file}? | find all mail addresses in {file} | who can I write to according to {file}? I need the addresses | pull the e-mail addresses out of {file}
f welche E-Mail-Adressen stehen in {file}? | extrais les adresses mail de {file}
r {e:email} => I found {e}.
# word_count_file: word_count count_words words_in_file
d Counts the words of a file. | Tells how many words a document has. | Number of words in a text file.
a file:path
q how many words are in {file}? | count the words of {file} | word count of {file} | how long is {file} in words? | number of words in {file}
r {n:int} => {file} has {n} words.
# disk_free: disk_free free_space storage_left
d Tells how much disk space is free. | Remaining storage on this machine. | Free bytes on the drive.
q how much disk space is left? | is the disk full? | free space? | how much storage do I have? | can I still save big files, how much room is there? | check the remaining space on the drive
f wie viel Speicherplatz ist frei? | combien d'espace disque reste-t-il?
r {n:int} GB free => There are {n} GB free.
# shell: shell run_command bash terminal exec @broad
d Runs a shell command. | Executes a command line and returns its output. | A terminal: runs one command.
a cmd:command=command,cmd,script,line
q run {cmd} | execute {cmd} | run the command `{cmd}` | please type {cmd} in the terminal | what does `{cmd}` print? | start {cmd} in the shell
# run_tests: run_tests test_suite check_tests
d Runs the tests of the project. | Executes the test suite. | Tells which tests pass and fail.
q run the tests | do all tests pass? | start the test suite | check whether the tests are green | are we green? | test the project
f führ die Tests aus | lance les tests
r {n:int} passed, 0 failed => All {n} tests passed.
# git_log: git_log commit_history recent_commits
d Shows the latest commits. | History of changes in the repository. | Who committed what.
a n?:small=count,n,limit,max
q show the last[ {n}] commits | what was committed recently[? {n} entries]? | git log[, {n} entries] | commit history[, the last {n}] | what changed in the repo lately[? {n} commits are enough]
# git_status: git_status repo_state changes
d Shows which files changed since the last commit. | State of the working tree. | Uncommitted changes in the repository.
q what is the git status? | do I have uncommitted changes? | git status | is the working tree clean? | did I forget to commit something?
r 1 changed: {p:path} => One file changed: {p}.
# git_commit: git_commit commit save_changes
d Commits the changes with a message. | Records the current changes in the repository. | Makes a commit.
a text:sentence=message,text,title
q commit with the message "{text}" | make a commit: "{text}" | commit everything as "{text}" | record my changes, message "{text}" | git commit "{text}"
# git_branch: create_branch new_branch git_branch
d Creates a branch. | Starts a new line of work in the repository. | Makes a git branch.
a branch:branch
q create the branch {branch} | new branch {branch} | start a branch called {branch} | branch off as {branch} | I want to work on a branch named {branch}
# git_switch: switch_branch checkout change_branch
d Switches to another branch. | Checks out a branch. | Goes to an existing branch of the repository.
a branch:branch
q switch to {branch} | check out {branch} | go to the branch {branch} | change over to branch {branch} | put me on {branch}
# format_code: format_code prettify_code fmt
d Formats source code in a file. | Puts a source file into standard style. | Tidies the layout of code.
a file:path
q format {file} | tidy up the code in {file} | run the formatter on {file} | make {file} pretty | fix the indentation of {file}
# lint_code: lint check_code static_check
d Looks for mistakes in source code. | Static check of a source file. | Warnings about bad code in a file.
a file:path
q lint {file} | check {file} for mistakes | are there warnings in {file}? | static analysis of {file} | is the code in {file} clean?
# run_script: run_script execute_file start_script
d Runs a script file. | Executes a program stored in a file. | Starts a script by its path.
a file:path
q run the script {file} | execute {file} | start {file} | launch the program {file} | let {file} run
"""
