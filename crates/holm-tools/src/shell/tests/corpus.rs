//! The attack corpus of shell approvals: what must never pass unasked, and what a deny rule must find.

use crate::shell::{
    CommandRule, CommandRules, CommandRuling, MAX_SCRIPT, ScriptComplexity, ScriptReadError, ShellScript,
};

/// The rules of a user who trusts a few commands and forbids one.
fn rules() -> CommandRules {
    CommandRules::new(
        ["git push", "rm -rf", "curl"],
        [
            "git status",
            "git log --oneline",
            "ls -l",
            "cargo test *",
            "echo",
            "rg",
            "find",
            "sort",
            "cat",
            "true",
        ],
    )
    .expect("rules")
}

fn judge(text: &str) -> CommandRuling {
    match ShellScript::read(text) {
        Ok(script) => rules().judge(&script),
        Err(why) => rules().judge_unreadable(why),
    }
}

#[test]
fn what_was_allowed_passes_unasked() {
    for text in [
        "git status",
        "git status src",
        "git status --short --branch",
        "git log --oneline main",
        "git log --oneline --stat -3",
        "ls -l src",
        "cargo test -p holm-tools --lib -- --nocapture",
        "echo 'a b' \"c d\"",
        "git status && ls -l; echo done | cat",
        "git status\nls -l\n",
        "echo it\"'\"s",
    ] {
        assert_eq!(judge(text), CommandRuling::Allowed, "{text}");
    }
}

/// Each of these begins with, or contains, a command that was allowed.
const ASKED: &[(&str, &str)] = &[
    ("a second command", "git status; touch x"),
    ("a second command after and", "git status && touch x"),
    ("a second command after or", "git status || touch x"),
    ("a pipe", "git status | tee x"),
    ("a pipe with errors", "git status |& cat"),
    ("in the background", "git status & touch x"),
    ("alone in the background", "git status &"),
    ("on the next line", "git status\ntouch x"),
    ("after a carriage return", "git status\rtouch x"),
    ("over a line continuation", "git status \\\n--porcelain"),
    ("in a substitution", "echo $(touch x)"),
    ("in a substitution in quotes", "echo \"$(touch x)\""),
    ("in backticks", "echo `touch x`"),
    ("in backticks in quotes", "echo \"`touch x`\""),
    ("in a process substitution", "cat <(touch x)"),
    ("in an output substitution", "echo x > >(touch x)"),
    ("in a here-document", "cat <<E\n$(touch x)\nE"),
    ("in a here-string", "cat <<<$(touch x)"),
    ("in arithmetic", "echo $((x[$(touch x)]))"),
    ("in an index", "echo ${x[$(touch x)]}"),
    ("in a default value", "echo ${x:-$(touch x)}"),
    ("with a pattern", "cat *"),
    ("with a question mark", "cat ?"),
    ("with a range", "cat [a-z]"),
    ("with braces", "echo {a,b}"),
    ("with a home", "cat ~/.ssh/id_rsa"),
    ("with a variable", "cat $HOME/.ssh/id_rsa"),
    ("with the field separator", "cat$IFS/etc/passwd"),
    ("with an escape", "echo \\$x"),
    ("with a C string", "echo $'\\x41'"),
    ("with a translated string", "echo $\"x\""),
    ("with history", "echo !!"),
    ("to a file", "git status > x"),
    ("appended to a file", "git status >> x"),
    ("errors to a file", "git status 2> x"),
    ("both to a file", "git status &> x"),
    ("over a file", "git status >| x"),
    ("from a file", "cat < x"),
    ("between descriptors", "git status 2>&1"),
    ("with a variable before it", "PATH=. git status"),
    ("with a loader variable", "LD_PRELOAD=./x.so git status"),
    ("with a git variable", "GIT_PAGER=./x git log --oneline"),
    ("an assignment alone", "PATH=."),
    ("an export", "export PATH=.; git status"),
    ("a startup file", "export BASH_ENV=x; git status"),
    ("an alias", "alias git=./x; git status"),
    ("a function", "git() { touch x; }; git status"),
    ("a function by word", "function git { touch x; }; git status"),
    ("a trap", "trap 'touch x' EXIT; git status"),
    ("another folder", "cd /elsewhere && git status"),
    ("a shell option", "set -x; git status"),
    ("a sourced file", ". ./x; git status"),
    ("in a subshell", "(git status)"),
    ("in a group", "{ git status; }"),
    ("in a condition", "if git status; then touch x; fi"),
    ("in a loop", "for x in 1; do git status; done"),
    ("while something holds", "while git status; do touch x; done"),
    ("in a case", "case x in x) git status;; esac"),
    ("negated", "! git status"),
    ("timed", "time git status"),
    ("a coprocess", "coproc git status"),
    ("under env", "env git status"),
    ("under env with a string", "env -S 'git status'"),
    ("under nice", "nice git status"),
    ("under timeout", "timeout 5 git status"),
    ("under xargs", "xargs git status"),
    ("under busybox", "busybox ls -l"),
    ("under sudo", "sudo git status"),
    ("under stdbuf", "stdbuf -o0 git status"),
    ("under nohup", "nohup git status"),
    ("under setsid", "setsid git status"),
    ("under a shell", "sh -c 'git status'"),
    ("under a shell with joined flags", "sh -ec 'git status'"),
    ("with hidden arguments of a shell", "sh -c 'git status' x y"),
    ("in ten wrappers", "env nice env nice env nice env nice env nice git status"),
    ("another option", "git status --ignored"),
    ("an option cut short", "sort --compress-prog=./x"),
    ("an option with a program", "rg --pre ./x y"),
    ("an option with a file", "sort -o x y"),
    ("an option that runs", "find . -exec touch x ;"),
    ("an option that deletes", "find . -delete"),
    ("an option that writes", "find . -fprintf x y"),
    ("a setting of git", "git -c core.pager=./x status"),
    ("a monitor of git", "git -c core.fsmonitor=./x status"),
    ("an alias of git", "git -c alias.status=!./x status"),
    ("a setting behind", "echo A=b"),
    ("the end of options", "git status -- x"),
    ("the same name in a folder", "./git status"),
    ("the same name by a path", "/tmp/git status"),
    ("a name in capitals", "GIT status"),
    ("a name with another letter", "g\u{456}t status"),
    ("a name with a hidden letter", "git\u{200b} status"),
    ("turned round", "git status \u{202e}x"),
    ("with tags", "git status \u{e0041}"),
    ("with an escape sequence", "git status \u{1b}[2K"),
    ("with a link sequence", "git status \u{1b}]8;;x\u{7}"),
    ("with a backspace", "git status \u{8}"),
    ("with a no-break space", "git\u{a0}status"),
    ("a comment", "git status # harmless"),
    ("a comment alone", "# git status"),
    ("nothing", ""),
    ("blanks", "  \n"),
    ("a program that runs words", "python -c 'print(1)'"),
    ("a program that runs its file", "make"),
    ("an editor that writes", "sed -n 'w x' y"),
    ("an editor that runs", "sed '1e touch x' y"),
    ("a language that runs", "awk 'BEGIN { system(\"touch x\") }'"),
    ("an archive that runs", "tar --to-command='touch x' -xf y"),
    ("an archive that runs at checkpoints", "tar --checkpoint-action=exec='touch x' -cf y z"),
    ("a manual with a pager", "man -P ./x ls"),
    ("a host behind a command", "ssh -o ProxyCommand=./x host"),
    ("a pager that runs", "less '+!touch x' y"),
    ("an editor with a command", "vim -c '!touch x' y"),
    ("a script of a package", "npm run x"),
    ("a script of another package", "yarn x"),
    ("a download to a file", "curl -o x https://example.com"),
    ("a download by a file", "curl -K x"),
    ("a wrapper within a wrapper", "sudo env nice timeout 5 git status"),
    ("with a variable of git in the settings", "GIT_CONFIG_COUNT=1 git status"),
    ("a program that downloads", "wget https://example.com"),
    ("an unknown program", "zzz"),
];

#[test]
fn nothing_else_passes_unasked() {
    assert!(ASKED.len() >= 90, "{}", ASKED.len());
    for (name, text) in ASKED {
        assert_ne!(judge(text), CommandRuling::Allowed, "{name}: {text:?}");
    }
}

/// Each of these runs `git push`.
const DENIED: &[(&str, &str)] = &[
    ("plain", "git push"),
    ("with words behind", "git push origin main"),
    ("with options between", "git -C elsewhere --no-pager -c a=b push"),
    ("by a path", "/usr/bin/git push"),
    ("by a relative path", "./x/../git push"),
    ("in quotes", "'git' \"push\""),
    ("in pieces", "g''i\"t\" pu\\sh"),
    ("with an escape", "gi\\t push"),
    ("over a line continuation", "gi\\\nt pu\\\nsh"),
    ("after others", "true; true && true || git push"),
    ("in a pipe", "echo y | git push"),
    ("in the background", "git push &"),
    ("in a substitution", "echo $(git push)"),
    ("in a substitution in quotes", "echo \"a $(git push) b\""),
    ("in backticks", "echo `git push`"),
    ("in a process substitution", "cat <(git push)"),
    ("in an assignment", "x=$(git push)"),
    ("in a default value", "echo ${x:-$(git push)}"),
    ("in arithmetic", "echo $(( $(git push) ))"),
    ("in a here-document", "cat <<E\n$(git push)\nE"),
    ("in a here-string", "cat <<< \"$(git push)\""),
    ("in a redirection", "echo x > $(git push)"),
    ("in a subshell", "(git push)"),
    ("in a group", "{ git push; }"),
    ("in a condition", "if true; then git push; fi"),
    ("in a loop", "for x in 1 2; do git push; done"),
    ("in a case", "case x in x) git push;; esac"),
    ("in a function", "f() { git push; }; f"),
    ("negated", "! git push"),
    ("with a variable before it", "A=b git push"),
    ("with a redirection", "git push > x 2>&1"),
    ("in a trap", "trap 'git push' EXIT"),
    ("in an alias", "alias x='git push'"),
    ("under eval", "eval 'git push'"),
    ("under eval in pieces", "eval git push"),
    ("under sh", "sh -c 'git push'"),
    ("under sh with joined flags", "bash -ec 'git push'"),
    ("under sh behind options", "bash --norc -c 'git push' x"),
    ("under sh under sh", "sh -c 'sh -c \"git push\"'"),
    ("under env", "env git push"),
    ("under env with settings", "env -i A=b git push"),
    ("under env with a string", "env -S 'git push'"),
    ("under env with a joined string", "env -S'git push'"),
    ("under env with a long string", "env --split-string='git push'"),
    ("under env bash", "env bash -c 'git push'"),
    ("under nice", "nice -n 5 git push"),
    ("under timeout", "timeout 5 git push"),
    ("under xargs", "echo | xargs -n1 git push"),
    ("under busybox", "busybox sh -c 'git push'"),
    ("under sudo", "sudo -u x git push"),
    ("under stdbuf", "stdbuf -oL git push"),
    ("under nohup", "nohup git push"),
    ("under setsid", "setsid -f git push"),
    ("under command", "command git push"),
    ("under exec", "exec git push"),
    ("under time", "time git push"),
    ("under find", "find . -exec git push ;"),
    ("under watch", "watch 'git push'"),
    ("under su", "su -c 'git push'"),
    ("under ssh", "ssh host git push"),
    ("under ten wrappers", "env nice env nice env nice env nice env nice git push"),
    ("as an alias of git", "git -c alias.x='!git push' x"),
    ("as a plain alias of git", "git -c alias.p=push p"),
    ("as an alias in capitals", "git -c ALIAS.p='push origin' p"),
    ("as an alias that is kept", "git config --global alias.p push"),
    ("behind a redirection", "git >out push"),
    ("behind errors", "git 2>/dev/null push"),
    ("behind both", "git &>x push"),
    ("behind a closed descriptor", "git 2>&- push"),
    ("behind several redirections", "git <in >out -C . 2>>err push"),
    ("behind a here-document", "git <<E push\nE"),
    ("behind a here-document and a file", "git <<E >x push\nE"),
    ("behind a here-string", "git <<<x push"),
    ("after a redirection", ">x git push"),
    ("after a redirection, with words", ">x 2>y git push origin main"),
    ("behind a redirection in a pipe", "echo y | git >out push"),
    ("behind a redirection after others", "true && git >out push"),
    ("behind a redirection in a group", "{ git >out push; }"),
    ("behind a redirection under env", "env >out git push"),
    ("an option behind a redirection", "rm <x -rf y"),
    ("under flock", "flock f -c 'git push'"),
    ("under flock by words", "flock f git push"),
    ("under script, joined", "script -qc'git push' x"),
    ("under runuser", "runuser -u x -c 'git push'"),
    ("under runuser with a long option", "runuser --command='git push'"),
    ("under sh, joined", "su -c'git push'"),
    (
        "as an alias in the environment",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p",
    ),
    (
        "as a script in the environment",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='!git push' git p",
    ),
    (
        "as an alias under env",
        "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p",
    ),
    (
        "as an alias that is exported",
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='push origin'; git p",
    ),
    ("as a parameter in the environment", "GIT_CONFIG_PARAMETERS=\"'alias.p=push'\" git p"),
    ("as a pager in the environment", "GIT_PAGER='git push' git log"),
    ("as an editor in the environment", "GIT_EDITOR='git push #' git commit"),
    ("as an editor that is exported", "export EDITOR='git push'; git commit"),
    ("as an editor of a sequence", "GIT_SEQUENCE_EDITOR='git push;' git rebase -i main"),
    ("as a way to a host", "GIT_SSH_COMMAND='git push;' git fetch"),
    ("as a prompt of the shell", "PS4='$(git push)' bash -x f"),
    ("as a startup file in a substitution", "BASH_ENV=<(git push) bash f"),
    ("in each submodule", "git submodule foreach 'git push'"),
    ("in each submodule by words", "git submodule foreach --recursive git push"),
    ("in each submodule in quiet", "git submodule --quiet foreach 'cd x && git push || :'"),
    ("at each step of a rebase", "git rebase -x 'git push' main"),
    ("at each step, joined", "git rebase -x'git push' main"),
    ("at each step, long", "git rebase --exec 'make && git push' main"),
    ("at each step, with an equals sign", "git rebase --exec='git push' main"),
    ("at each step, cut short", "git rebase --exe 'git push' main"),
    ("at each step of a search", "git bisect run git push"),
    ("at each step of a search by a shell", "git bisect run sh -c 'git push'"),
    ("as a filter of branches", "git filter-branch --tree-filter 'git push' HEAD"),
    ("as another filter", "git filter-branch --msg-filter='cat; git push'"),
    ("as a tool for differences", "git difftool -x 'git push'"),
    ("as a tool for differences, long", "git difftool --extcmd='git push'"),
    ("as a pager of a search", "git grep -O'git push' x"),
    ("as a pager of a search, long", "git grep --open-files-in-pager='git push' x"),
    ("as the other side", "git fetch --upload-pack='git push;' ."),
    ("as the other side, by words", "git clone -u 'git push;' . x"),
    ("as a transport", "git clone 'ext::git% push'"),
    ("as a pager of git", "git -c core.pager='git push' log"),
    ("as a pager of a command", "git -c pager.log='git push' log"),
    ("as an editor of git", "git -c core.editor='git push' commit"),
    ("as a monitor", "git -c core.fsmonitor='git push' status"),
    ("as a way of git to a host", "git -c core.sshCommand='git push' fetch"),
    ("as an outside difference", "git -c diff.external='git push' diff"),
    ("as a helper", "git -c credential.helper='!git push' fetch"),
    ("as a filter of files", "git -c filter.x.smudge='git push' checkout ."),
    ("as a signer", "git -c gpg.program='git push' commit -S"),
    ("as a setting that is kept", "git config core.pager 'git push'"),
    ("of an archive", "tar --to-command='git push' -xf a"),
    ("at a checkpoint", "tar --checkpoint=1 --checkpoint-action=exec='git push' -cf a b"),
    ("as a packer", "tar -I 'git push' -cf a b"),
    ("as a reader of a search", "rg --pre 'git push' x"),
    ("as a packer of a sort", "sort --compress-prog='git push' x"),
    ("as a pager of a manual", "man -P 'git push' ls"),
    ("as a proxy", "ssh -o ProxyCommand='git push' host"),
    ("as a remote shell", "rsync -e 'git push' a b:"),
    ("as a command of an editor", "vim -c '!git push' x"),
    ("as a first command of an editor", "vim '+!git push' x"),
    ("as a key of a pager", "less '+!git push' x"),
    ("as a filter of pieces", "split --filter='git push' x"),
    ("as a package's program", "npx git push"),
    ("as a command of a package", "npm exec -- git push"),
    ("as a call of a package", "npm exec -c 'git push'"),
    ("as the shell of a build", "make SHELL='git push'"),
    ("in backticks in a here-document", "cat <<E\n`git push`\nE"),
    ("behind a blank in a here-document", "cat <<E\n $(git push)\nE"),
    ("behind a tab in a here-document", "cat <<-E\n\t$(git push)\n\tE"),
    ("in an expansion in a here-document", "cat <<E\n ${x:-`git push`}\nE"),
    ("in arithmetic in a here-document", "cat <<E\n $((x[$(git push)]))\nE"),
    ("in a change of case", "echo ${x^^$(git push)}"),
    ("in a change of case in backticks", "echo \"${x,,`git push`}\""),
    ("in a replacement in backticks", "echo ${x//`git push`/b}"),
    ("in a subscript of printf", "printf -v 'a[$(git push)]' x"),
    ("in a subscript of read", "read 'a[$(git push)]' <<< 1"),
    ("in a subscript of a test", "[[ -v 'a[$(git push)]' ]]"),
    ("in a subscript of a plain test", "test -v 'a[$(git push)]'"),
    ("in a subscript in double quotes", "test -v \"a[\\$(git push)]\""),
    ("in a subscript in a C string", "test -v $'a[$(git push)]'"),
    ("in a subscript in escapes", "test -v a\\[\\`git\\ push\\`\\]"),
    ("in a subscript of a declaration", "declare 'a[$(git push)]=1'"),
    ("in a subscript of a sum", "let 'a[$(git push)]=1'"),
    ("in a subscript that is kept", "x='a[$(git push)]'; echo $((x))"),
    ("as a callback", "mapfile -C 'git push #' -c 1 x < in"),
    ("as a callback, joined", "readarray -C'git push #' -c 1 x < in"),
    ("as a completion", "compgen -C 'git push' x"),
    ("as a list of words", "compgen -W '$(git push)' x"),
    ("in another personality", "linux64 git push"),
    ("with a score", "choom -n 0 -- git push"),
    ("under the loader", "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push"),
    ("under another loader", "/lib/ld-musl-x86_64.so.1 /usr/bin/git push"),
    ("in a debugger", "gdb -batch -ex 'shell git push'"),
    ("in a database", "sqlite3 '' '.shell git push'"),
    ("in a database by another word", "sqlite3 x '.system git push'"),
    ("as a stripper", "install --strip-program='git push' -s a b"),
    ("under a runner", "uv run git push"),
    ("in a function that is handed on", "env 'BASH_FUNC_ls%%=() { git push; }' bash -c ls"),
    ("in a C string", "$'git' $'push'"),
    ("by numbers in a C string", "$'\\147it' $'\\x70ush'"),
    ("in a subscript by numbers in a C string", "x=$'a[\\x24(git push)]'; echo $((x))"),
    ("another rule with an option", "rm -rf x"),
    ("the option together with others", "rm -vrf x"),
    ("the option in pieces", "rm -r --verbose -f x"),
];

#[test]
fn a_deny_rule_finds_its_command_wherever_it_stands() {
    let missed = DENIED.iter().filter(|(_, text)| !matches!(judge(text), CommandRuling::Denied(_)));
    let missed: Vec<_> = missed.map(|(name, text)| (name, text, judge(text))).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_cannot_be_told_is_refused_where_something_is_forbidden() {
    for (name, text) in [
        ("a name out of a variable", "$x push"),
        ("a name out of a substitution", "$(echo git) push"),
        ("a name out of a pattern", "/usr/bin/g?t push"),
        ("a name out of braces", "{git,push}"),
        ("a name in a C string", "$'git' push"),
        ("a command out of a variable", "git $x"),
        ("a script out of a variable", "sh -c \"$x\""),
        ("a script out of a pipe", "echo git push | sh"),
        ("a script out of a here-document", "bash <<E\ngit push\nE"),
        ("a script out of a here-string", "bash -s x <<< 'git push'"),
        ("a script behind an option with a value", "bash -o errexit <<< 'git push'"),
        ("a script out of the input by name", "bash /dev/stdin <<< 'git push'"),
        ("a script out of a descriptor", "bash /proc/self/fd/0 <<< 'git push'"),
        ("a sourced input", ". /dev/stdin <<< 'git push'"),
        ("a sourced input by word", "source /dev/fd/0 <<< 'git push'"),
        ("words out of a pipe", "echo push | xargs git"),
        ("words out of a pipe behind options", "echo push | xargs -n1 git -C ."),
        ("words out of a pipe for a wrapper", "echo git push | xargs env"),
        ("words out of a pipe for a shell", "echo 'git push' | xargs -d x sh -c"),
        ("words in the place of a mark", "echo push | xargs -I% git %"),
        ("words of parallel", "parallel git ::: push"),
        ("commands out of a pipe", "echo git push | parallel"),
        ("words in the place of braces", "find push -exec git '{}' ';'"),
        ("options out of a pipe", "echo -rf x | xargs rm"),
        ("an alias out of a variable", "git --config-env=alias.p=X p"),
        (
            "a setting out of the environment",
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=$x git p",
        ),
        ("settings out of the input", "GIT_CONFIG_GLOBAL=/dev/stdin git p <<< '[alias] p = push'"),
        ("settings out of a substitution", "GIT_CONFIG_GLOBAL=<(echo) git p"),
        ("a pager out of a variable", "GIT_PAGER=$x git log"),
        ("a step out of a variable", "git rebase -x \"$x\" main"),
        ("submodules out of a variable", "git submodule foreach \"$x\""),
        ("a search out of a variable", "git bisect run $x"),
        ("a setting out of a variable", "git -c \"$x\" log"),
        ("in a text of Python", "python3 -c 'import os; os.system(\"git push\")'"),
        ("in pieces in a text of Python", "python3.12 -c 'run([\"git\", \"push\"])'"),
        ("in a text of Perl", "perl -e 'system qw(git push)'"),
        ("in a text of Node", "node -e 'require(\"child_process\").execSync(\"git push\")'"),
        ("in a text of awk", "awk 'BEGIN { system(\"git push\") }'"),
        ("in a text of sed", "sed '1e git push' x"),
        ("in a replacement of sed", "sed 's/x/git push/e' x"),
        ("a text of Python in a here-string", "python3 <<< 'import os; os.system(\"git push\")'"),
        ("a text of Python in a here-document", "python3 - <<'E'\nimport os; os.system('git push')\nE"),
        ("a text of Python behind an option with a value", "python3 -W ignore <<< 'system(\"git push\")'"),
        ("a text of Python behind a wrapper", "timeout 5 python3 <<< 'system(\"git push\")'"),
        ("a text of Python out of a pipe", "echo 'system(\"git push\")' | python3"),
        ("a text of Python for a group", "{ python3; } <<< 'system(\"git push\")'"),
        ("a text of Python in a substitution", "python3 <(echo 'system(\"git push\")')"),
        ("a text of Perl in a here-string", "perl <<< 'system \"git push\"'"),
        ("a text of Node in a here-string", "node <<< 'execSync(\"git push\")'"),
        ("a text of awk in a here-string", "awk -f - <<< 'BEGIN { system(\"git push\") }'"),
        ("a text of sed in a here-string", "sed -f- x <<< '1e git push'"),
        ("a text of make in a here-string", "make -f - <<< 'all:; git push'"),
        ("a text of an editor", "printf '!git push\\n' | ed"),
        ("a text of a database", "sqlite3 <<< '.shell git push'"),
        ("a name in a table", "hash -p /usr/bin/git foo; foo push"),
        ("a startup file", "BASH_ENV=s.sh bash -c true"),
        ("a startup file under env", "env BASH_ENV=s.sh bash -c true"),
        ("a startup file that is exported", "export BASH_ENV=s.sh; bash -c true"),
        ("a here-document that ends elsewhere", "cat <<E$x\nE\n"),
        ("a substitution with brackets of its own", "cat <<E\n $(case x in x) git push;; esac)\nE"),
        ("a wrapper of a variable", "env $x"),
        ("eval of a variable", "eval $x"),
        ("an unclosed quote", "git 'push"),
        ("an unclosed bracket", "(git push"),
        ("scripts in scripts", &nested(7)),
    ] {
        assert!(
            matches!(judge(text), CommandRuling::Unclear(_) | CommandRuling::Denied(_)),
            "{name}: {text:?}"
        );
        let free = CommandRules::default();
        let ruling = ShellScript::read(text)
            .map_or_else(|why| free.judge_unreadable(why), |script| free.judge(&script));
        assert_eq!(ruling, CommandRuling::Ask, "{name}: where nothing is forbidden a person decides");
    }
}

/// Spellings of `touch f` that stand in the script: found, or refused because the script is unclear. The jail's business is
/// what stands in a file, or comes about at run time.
#[test]
fn a_command_that_stands_in_the_script_is_refused_in_every_known_spelling() {
    let rules = CommandRules::new(["touch"], []).expect("rules");
    let judge = |text: &str| match ShellScript::read(text) {
        Ok(script) => rules.judge(&script),
        Err(why) => rules.judge_unreadable(why),
    };
    for text in [
        "touch f",
        "cat <<E\n`touch f`\nE",
        "cat <<E\n $(touch f)\nE",
        "cat <<-E\n\t$(touch f)\n\tE",
        "x=a; echo ${x^^$(touch f)}",
        "printf -v 'a[$(touch f)]' x",
        "read 'a[$(touch f)]' <<< 1",
        "[[ -v 'a[$(touch f)]' ]]",
        "test -v 'a[$(touch f)]'",
        "declare 'a[$(touch f)]=1'",
        "let 'a[$(touch f)]=1'",
        "x='a[$(touch f)]'; echo $((x))",
        "mapfile -C 'touch f #' -c 1 arr < in",
        "compgen -C 'touch f' x",
        "linux64 touch f",
        "choom -n 0 -- touch f",
        "/lib64/ld-linux-x86-64.so.2 /usr/bin/touch f",
        "gdb -batch -ex 'shell touch f'",
        "sqlite3 '' '.shell touch f'",
        "install --strip-program=touch -s a f2; install --strip-program=touch -s a f",
    ] {
        assert!(matches!(judge(text), CommandRuling::Denied(_)), "{text:?}: {:?}", judge(text));
    }
    for text in [
        "hash -p /usr/bin/touch foo; foo f",
        "printf '!touch f\\n' | ed",
        "python3 <<< 'import os; os.system(\"touch f\")'",
        "perl <<< 'system \"touch f\"'",
        "awk -f - <<< 'BEGIN{system(\"touch f\")}'",
        "BASH_ENV=s.sh bash -c true",
    ] {
        assert!(matches!(judge(text), CommandRuling::Unclear(_)), "{text:?}: {:?}", judge(text));
    }
    for text in ["bash s.sh", "cp /usr/bin/touch t; ./t f", "make", "python3 build.py"] {
        assert!(!matches!(judge(text), CommandRuling::Unclear(_)), "the jail's business: {text:?}");
    }
}

/// `true` under shells under shells.
fn nested(depth: usize) -> String {
    (0..depth).fold("true".to_owned(), |inner, _| format!("sh -c {}", quoted(&inner)))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn a_rule_does_not_hit_what_only_mentions_it() {
    for text in [
        "git commit -m 'git push'",
        "echo git push",
        "git log push",
        "grep 'git push' x",
        "rm -r x",
        "ls curl",
        "git log > push",
        "git log 2>&1 | cat > push",
        "git status <<E\ngit push\nE",
        "bash dev/build.sh x",
        "bash -eu build.sh < in",
        "bash -c 'git status' -s",
        "find src | xargs grep push",
        "find src | xargs git status",
        "find . -name '*.rs' -exec grep x '{}' ';'",
        "git -c alias.l=log l",
        "git commit --message='git push'",
        "git log --grep='git push'",
        "git commit -am 'run git push later'",
        "git rebase -x 'cargo test' main",
        "git submodule foreach 'git status'",
        "git -c core.pager=cat log",
        "git -c user.name='(' commit",
        "git log --format='%(trailers'",
        "git checkout \"$branch\"",
        "GIT_PAGER=cat git log",
        "X=$y cargo build",
        "sed 's/git push/git pull/' x",
        "awk '/git push/' x",
        "python3 -c 'print(1)'",
        "tar -xzf a.tgz",
        "npm install left-pad",
        "make all",
        "cat > notes <<E\nsay git push, it costs $5 and `date` or $(date)\nE",
        "cat > notes <<'E'\n`git push` $(git push)\nE",
        "python3 build.py <<< 'git push'",
        "echo 'git push' > notes; python3 build.py",
        "printf '%s\\n' 'git push'",
        "grep '[`$(]' x",
        "echo ${x^^} ${x//a/b} $((x << 2))",
        "arr=(a b); echo \"${arr[0]}\"",
        "ENV=test make all",
        "command -v git",
    ] {
        assert!(
            matches!(judge(text), CommandRuling::Ask | CommandRuling::Allowed),
            "{text}: {:?}",
            judge(text)
        );
    }
}

#[test]
fn only_beginnings_that_say_what_is_done_are_offered() {
    let check = |text: &str, expect: Option<&str>| {
        let rule = ShellScript::read(text).ok().and_then(|script| CommandRule::suggest(&script));
        assert_eq!(rule.map(|rule| rule.to_string()).as_deref(), expect, "{text}");
    };
    check("git status", Some("git status"));
    check("git log --oneline -n 5", Some("git log"));
    check("ls -l src", Some("ls *"));
    check("printf x", Some("printf *"));
    check("grep '[a]' x", Some("grep *"));
    check("git branch -a", Some("git branch -a"));
    for text in [
        "printf -v x y",
        "printf -vx y",
        "printf 'a[$(id)]'",
        "test -v x",
        "[ -v x ]",
        "read x",
        "let x=1",
        "command ls",
        "git commit -m x",
        "git grep --open-files-in-pager=less x",
        "git grep -O x",
        "git log --output=x",
        "git diff --outp x",
        "git reflog",
        "uniq a b",
        "file -C -m a",
        "tree -o a",
        "git",
        "git -C x status",
        "npm run build",
        "cargo run",
        "python3 x.py",
        "python3.12 x.py",
        "node x.js",
        "bash x",
        "sh -c 'ls'",
        "env ls",
        "sudo ls",
        "xargs ls",
        "find .",
        "make",
        "awk 1",
        "sed p",
        "./x",
        "/bin/ls",
        "ls; ls",
        "ls > x",
        "$x",
        "ls $x",
        "cd x",
        "export A",
        "curl x",
        "ssh x",
        "git rebase main",
        "git config alias.x y",
        "docker ps",
        "nodejs x.js",
        "julia x.jl",
        "Rscript x.R",
        "pypy x.py",
        "ipython x.py",
        "tsx x.ts",
        "ts-node x.ts",
        "luajit x.lua",
        "gmake all",
        "ninja all",
        "just build",
        "rake build",
        "nvim x",
        "rg --pre x y",
        "sort --compress-program=x y",
        "an-unknown-program x",
        "",
        // These run what lies in the workspace, or settings in it.
        "npm test",
        "npm install left-pad",
        "npm start",
        "npm ci",
        "pnpm install",
        "yarn install",
        "go generate",
        "go build",
        "go test",
        "mvn package",
        "gradle build",
        "terraform apply",
        "systemctl start x",
        "cargo build --release",
        "cargo check",
        "cargo test",
        "uv sync",
        "poetry install",
        "bundle install",
        "gem install x",
        "rustup update",
        "swift build",
        "zig build",
        "hg status",
        "jj log",
        "gh pr list",
        "apt list",
        "brew list",
    ] {
        check(text, None);
    }
}

#[test]
fn an_offered_rule_covers_what_its_scope_says_and_nothing_else() {
    for (text, scope, covered, more) in [
        (
            "git log --oneline",
            "git log with any names and display options",
            "git log --format=%H -n5 src",
            "git log --output=x",
        ),
        (
            "git diff --stat",
            "git diff with any names and display options",
            "git diff -U3 main",
            "git diff --ext-diff",
        ),
        ("git branch", "git branch with any names, and no options", "git branch x", "git branch -n"),
        ("printf x", "every plain command that starts with printf", "printf %s x", "printf -v x"),
        ("ls", "every plain command that starts with ls", "ls -la src", "ls; rm x"),
        ("ls -l", "every plain command that starts with ls", "ls -R", "ls $x"),
        ("grep todo", "every plain command that starts with grep", "grep -rn todo .", "grep todo x > y"),
    ] {
        let rule = CommandRule::suggest(&ShellScript::read(text).expect("a script")).expect("a rule");
        assert_eq!(rule.scope(), scope, "{text}");
        let mut rules = CommandRules::default();
        rules.allow(rule);
        assert_eq!(
            rules.judge(&ShellScript::read(covered).expect("a script")),
            CommandRuling::Allowed,
            "{covered}"
        );
        assert_eq!(
            rules.judge(&ShellScript::read(text).expect("a script")),
            CommandRuling::Allowed,
            "{text}"
        );
        assert_eq!(rules.judge(&ShellScript::read(more).expect("a script")), CommandRuling::Ask, "{more}");
    }
}

#[test]
fn a_rule_for_a_program_that_runs_the_workspace_covers_that_very_command() {
    let check = |rule: &str, text: &str, expect: CommandRuling| {
        let rules = CommandRules::new([], [rule]).expect("rules");
        assert_eq!(rules.judge(&ShellScript::read(text).expect("a script")), expect, "{rule}: {text}");
    };
    for (rule, text) in [
        ("npm test", "npm test"),
        ("make", "make"),
        ("cargo build --release", "cargo build --release"),
        ("npm publish --dry-run --tag=next", "npm publish --tag=next --dry-run"),
        ("git branch -a", "git branch -a"),
        ("rg --context", "rg --context=3 todo"),
        ("npm run build *", "npm run build -- --watch"),
        ("command -v", "command -v git"),
        ("git commit -m", "git commit -m 'a message'"),
        ("rg", "rg todo src"),
    ] {
        check(rule, text, CommandRuling::Allowed);
    }
    for (rule, text) in [
        ("npm test", "npm test evil"),
        ("npm", "npm test"),
        // An option may be what makes a command harmless.
        ("cargo publish --dry-run", "cargo publish"),
        ("cargo publish --dry-run *", "cargo publish -p a"),
        ("npm publish --tag=next", "npm publish --tag=latest"),
        ("git branch -a", "git branch new"),
        ("make", "make evil"),
        ("make", "make SHELL=./x"),
        ("cargo", "cargo run"),
        ("command -v", "command rm -v x"),
        ("git bisect", "git bisect run ./x"),
        ("go", "go generate"),
        ("python3", "python3 x.py"),
        ("rg", "rg --pre ./x y"),
    ] {
        check(rule, text, CommandRuling::Ask);
    }
    let runs = |rule: &str| rule.parse::<CommandRule>().expect("a rule").may_run_workspace();
    assert!(["npm test", "make", "cargo test *", "git commit", "zzz"].into_iter().all(runs));
    assert!(!["ls", "git status", "rg *", "cd"].into_iter().any(runs));
    let unknown = |text: &str| crate::shell::unknown_program(&ShellScript::read(text).expect("a script"));
    assert_eq!(unknown("cd x && git status | wc -l"), None);
    assert_eq!(unknown("cd x && npm test").as_deref(), Some("`npm`"));
    assert_eq!(unknown("$x y").as_deref(), Some("a program of it"));
}

/// Builtins evaluate the subscript of a name, also one in quotes.
#[test]
fn a_word_that_a_builtin_evaluates_is_covered_by_no_rule() {
    let mut rules = CommandRules::default();
    for allowed in [
        "printf *",
        "test *",
        "read *",
        "let *",
        "mapfile *",
        "wait *",
        "echo *",
        "builtin *",
        "command *",
        "command -v",
        "hash *",
        "getopts *",
        "compgen *",
        "true",
    ] {
        rules.allow(allowed.parse().expect("a rule"));
    }
    let judge = |text: &str| rules.judge(&ShellScript::read(text).expect("a script"));
    for text in [
        "printf -v 'a[$(id)]' x",
        "printf -v x 'a[$(id)]'",
        "printf -v x y; test -v 'b[x]'",
        "printf '-v' \"a[\\$(id)]\" x",
        "test -v 'a[$(id)]'",
        "[ -v 'a[`id`]' ]",
        "[[ -v 'a[$(id)]' ]]",
        "[[ x -eq 'a[$(id)]' ]]",
        "read 'a[$(id)]'",
        "read x",
        "declare 'a[$(id)]=1'",
        "local 'a[$(id)]=1'",
        "export 'a[$(id)]=1'",
        "let 'a[$(id)]=1'",
        "let x",
        "unset 'a[$(id)]'",
        "wait -p 'a[$(id)]'",
        "getopts x 'a[$(id)]'",
        "mapfile -C id -c 1 x",
        "compgen -C id x",
        "hash -p /usr/bin/id true",
        "builtin printf -v x y",
        "command printf -v x y",
        "echo $((x))",
        "((x))",
        "echo 'a[$(id)]'",
    ] {
        assert_eq!(judge(text), CommandRuling::Ask, "{text}");
    }
    for text in ["printf '%s' x", "test -f x", "echo 'a[0]' '$(id)'", "command -v git"] {
        assert_eq!(judge(text), CommandRuling::Allowed, "{text}");
    }
}

#[test]
fn a_text_that_is_no_beginning_of_a_command_is_no_rule() {
    for text in [
        "",
        " ",
        "*",
        "git push; ls",
        "git $x",
        "git *x",
        "a > b",
        "--force",
        "git 'a b'",
        "git -f push",
        // They are written and stored without quotes.
        "npm x '--tag=a b'",
        "make 'x=a;b'",
        "echo 'a;b'",
        "g\u{202e}it",
    ] {
        assert!(text.parse::<CommandRule>().is_err(), "{text:?}");
    }
    for text in ["git push", "git push --force -f", "cargo test *", "./x", "a"] {
        assert_eq!(text.parse::<CommandRule>().map(|rule| rule.to_string().len()), Ok(text.len()), "{text}");
    }
}

#[test]
fn rules_are_data() {
    let text = serde_json::to_string(&rules()).expect("data");
    assert_eq!(serde_json::from_str::<CommandRules>(&text).expect("rules"), rules());
    assert!(text.contains(r#""deny":["git push","rm -rf","curl"]"#), "{text}");
}

#[test]
fn a_script_that_no_screen_holds_is_not_read() {
    let long = format!("git status {}", "x".repeat(MAX_SCRIPT));
    assert_eq!(ShellScript::read(&long), Err(ScriptReadError::TooLong));
    assert!(matches!(
        CommandRules::default().judge_unreadable(ScriptReadError::TooLong),
        CommandRuling::Unclear(_)
    ));
    assert_eq!(ShellScript::read("git\0status"), Err(ScriptReadError::ZeroByte));
}

#[test]
fn deep_and_odd_scripts_are_read_without_harm() {
    let depth = 7_000;
    for text in [
        "(".repeat(depth) + &")".repeat(depth),
        "$(".repeat(depth / 2) + &")".repeat(depth / 2),
        "{ ".repeat(depth / 2) + &"; }".repeat(depth / 2),
        "`".repeat(depth),
        "\"$(".repeat(depth / 4) + &")\"".repeat(depth / 4),
        "if ".repeat(depth / 4),
        "<<E ".repeat(depth / 4),
        "env ".repeat(depth / 2),
        "a=".repeat(depth),
        format!("cat <<E\n{}\nE", "`a` ".repeat(depth / 4)),
        "'a[$(b)]' ".repeat(depth / 8),
        "echo ${x^^$(".repeat(depth / 16) + &")}".repeat(depth / 16),
        "python3 | ".repeat(depth / 8) + "python3",
    ] {
        if let Ok(script) = ShellScript::read(&text) {
            assert_ne!(rules().judge(&script), CommandRuling::Allowed);
        }
    }
}

#[test]
fn words_that_no_shell_reads_are_plain_unless_they_deceive() {
    let check = |words: &[&str], expect: CommandRuling| {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        assert_eq!(rules().judge(&ShellScript::of_words(&words)), expect, "{words:?}");
    };
    check(&["echo", "$(touch x)", ";", "`x`"], CommandRuling::Allowed);
    check(&["echo", "a\nb"], CommandRuling::Ask);
    check(&["echo", "\u{202e}"], CommandRuling::Ask);
    check(&["git", "push"], CommandRuling::Denied("git push".parse().expect("a rule")));
    check(&["sh", "-c", "git push"], CommandRuling::Denied("git push".parse().expect("a rule")));
    assert_eq!(ShellScript::of_words(&[]).form(), ScriptComplexity::Plain);
    check(&[], CommandRuling::Ask);
}
