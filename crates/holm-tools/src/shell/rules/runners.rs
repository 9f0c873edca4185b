//! Programs that run other programs: one table for deny rules and allow rules.
//!
//! A deny rule searches what they run. An allow rule covers them only if it covers what they run.
//! No such table is ever complete: a deny rule is a convenience, and the jail decides what a
//! command can do. Allow rules do not depend on this table alone: only programs on another list
//! take more words unasked (see `programs`).
//!
//! The table says how a program runs others, not whether it may: `deny.rs` and `allow.rs` decide.
//! Options and settings of git are in `embedded_commands.rs`.

/// One way in which a program runs other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunnerKind {
    /// Its words are a command, which begins at one of them.
    Words,
    /// The words after one of these are a command.
    Behind(&'static [&'static str]),
    /// One of its words is a script.
    Script,
    /// It reads a script from its input where it gets none.
    Input,
    /// It adds words from elsewhere to the command that it runs.
    Feeds,
    /// It sets variables for the command that it runs.
    Variables,
    /// The values of these options are commands.
    Options(&'static [&'static str]),
    /// Values of its options, settings or words with an exclamation mark may be commands.
    AnyOption,
    /// One of its words is a text in its own language, which can run programs. Without a file, it
    /// reads the text from its input.
    Language,
    /// It obeys its input line by line.
    Obeys,
}

use RunnerKind::{AnyOption, Behind, Feeds, Input, Language, Obeys, Options, Script, Variables, Words};

/// How programs run others. A program may be in several rows.
const TABLE: &[(&[RunnerKind], &[&str])] = &[
    // Names of the loader are in `is_loader`.
    (
        &[Words],
        &[
            "aa-exec",
            "abduco",
            "authbind",
            "autossh",
            "builtin",
            "bunx",
            "busybox",
            "bwrap",
            "caffeinate",
            "catatonit",
            "catchsegv",
            "ccache",
            "cgexec",
            "choom",
            "chpst",
            "chronic",
            "chroot",
            "chrt",
            "command",
            "coproc",
            "coz",
            "cpulimit",
            "daemon",
            "daemonize",
            "dbclient",
            "dbus-launch",
            "dbus-run-session",
            "distcc",
            "doas",
            "dotenv",
            "dotlockfile",
            "dpkg-architecture",
            "dtach",
            "dumb-init",
            "eatmydata",
            "entr",
            "env",
            "envchain",
            "envdir",
            "exec",
            "fakechroot",
            "fakeroot",
            "faketime",
            "firejail",
            "flock",
            "gdbserver",
            "genv",
            "git-sh-setup",
            "gnice",
            "gnohup",
            "gosu",
            "gstdbuf",
            "gtime",
            "gtimeout",
            "gxargs",
            "heaptrack",
            "hyperfine",
            "i386",
            "icecc",
            "ifne",
            "ionice",
            "jobs",
            "kcov",
            "ld.so",
            "libtool",
            "linux32",
            "linux64",
            "lckdo",
            "logger",
            "logsave",
            "ltrace",
            "memusage",
            "minijail0",
            "mosh",
            "newgrp",
            "nice",
            "nohup",
            "nq",
            "npx",
            "nsenter",
            "nsjail",
            "numactl",
            "openvt",
            "parallel",
            "perf",
            "pkexec",
            "pnpx",
            "prlimit",
            "proot",
            "proxychains",
            "proxychains4",
            "pseudo",
            "rlwrap",
            "rr",
            "rsh",
            "run0",
            "runcon",
            "runuser",
            "s6-setuidgid",
            "sccache",
            "schroot",
            "screen",
            "script",
            "sem",
            "setarch",
            "setlock",
            "setpriv",
            "setsid",
            "setuidgid",
            "sg",
            "softlimit",
            "sotruss",
            "ssh",
            "ssh-agent",
            "sshpass",
            "start-stop-daemon",
            "stdbuf",
            "strace",
            "su",
            "su-exec",
            "sudo",
            "supervise",
            "systemd-cat",
            "systemd-inhibit",
            "systemd-nspawn",
            "systemd-run",
            "taskset",
            "time",
            "timeout",
            "tini",
            "tmux",
            "torify",
            "torsocks",
            "toybox",
            "tsocks",
            "tsp",
            "uclampset",
            "uftrace",
            "uname26",
            "unbuffer",
            "unshare",
            "uvx",
            "valgrind",
            "watch",
            "watchexec",
            "wine",
            "with-lock-ex",
            "x86_64",
            "xargs",
            "xinit",
            "xterm",
            "xvfb-run",
            "zrun",
        ],
    ),
    (
        &[Script],
        &[
            "alias",
            "ash",
            "bash",
            "busybox",
            "byobu",
            "capsh",
            "concurrently",
            "csh",
            "dash",
            "elvish",
            "env",
            "eval",
            "execlineb",
            "fish",
            "flock",
            "genv",
            "git-shell",
            "ksh",
            "mispipe",
            "mksh",
            "parallel",
            "pdsh",
            "pee",
            "rbash",
            "rsh",
            "run0",
            "runuser",
            "screen",
            "script",
            "sem",
            "sg",
            "sh",
            "ssh",
            "su",
            "tcsh",
            "tmux",
            "toybox",
            "trap",
            "watch",
            "watchexec",
            "xonsh",
            "yash",
            "zsh",
        ],
    ),
    (&[Behind(&["-exec", "-execdir", "-ok", "-okdir"])], &["bfs", "find", "gfind"]),
    (
        &[Behind(&["-x", "-X", "--exec", "--exec-batch"]), Options(&["-x", "-X", "--exec", "--exec-batch"])],
        &["fd", "fdfind"],
    ),
    (&[Behind(&["-E"])], &["cmake"]),
    (&[Behind(&["exec"])], &["ip", "nvm", "pyenv", "rbenv", "repo"]),
    (
        &[Behind(&["exec", "run", "--"])],
        &[
            "asdf",
            "aws-vault",
            "cabal",
            "conda",
            "direnv",
            "distrobox",
            "docker",
            "doppler",
            "dune",
            "flatpak",
            "foreman",
            "guix",
            "jj",
            "kubectl",
            "lxc",
            "machinectl",
            "meson",
            "mise",
            "nerdctl",
            "nix",
            "nix-shell",
            "op",
            "opam",
            "pipenv",
            "pipx",
            "pixi",
            "podman",
            "poetry",
            "rye",
            "sops",
            "stack",
            "toolbox",
            "uv",
            "vagrant",
            "volta",
            "zellij",
        ],
    ),
    (&[Behind(&["exec", "x", "dlx"])], &["bun", "bundle", "npm", "pnpm", "yarn"]),
    (
        &[Input],
        &[
            "ash", "at", "bash", "batch", "crontab", "csh", "dash", "fish", "ksh", "mksh", "rbash", "sh",
            "tcsh", "yash", "zsh",
        ],
    ),
    (&[Feeds], &["entr", "fd", "fdfind", "gxargs", "parallel", "sem", "xargs"]),
    (&[Variables], &["declare", "doas", "env", "export", "genv", "local", "readonly", "sudo", "typeset"]),
    (&[Options(&["--strip-program"])], &["ginstall", "install"]),
    (&[Options(&["--compress-program"])], &["gsort", "sort"]),
    (&[Options(&["--filter"])], &["gsplit", "split"]),
    (&[Options(&["--pre"])], &["rg"]),
    (&[Options(&["-e", "--rsh", "--rsync-path"])], &["rsync"]),
    (&[Options(&["-P", "-H", "--pager", "--html"])], &["man"]),
    (&[Options(&["-TT", "--unzip-command"])], &["zip"]),
    (&[Options(&["-z"])], &["tcpdump"]),
    (&[Options(&["--use-askpass"])], &["wget"]),
    (&[Options(&["--rsh-command"])], &["cpio"]),
    (&[Options(&["--exec", "-x", "--startas", "-a"])], &["start-stop-daemon"]),
    (&[Options(&["-e", "-c", "--exec", "--sh-exec"])], &["nc", "ncat", "netcat"]),
    (&[Options(&["-c"])], &["bpftrace", "repo", "vagrant"]),
    (&[Options(&["--run", "--command", "-c"])], &["nix", "nix-shell"]),
    (&[Options(&["-toolexec", "--toolexec", "-exec", "--exec", "-vettool", "--vettool"])], &["go"]),
    (&[Options(&["-wrapper", "--wrapper"])], &["c++", "cc", "g++", "gcc"]),
    (&[Options(&["--diff-cmd", "--diff3-cmd", "--editor-cmd"])], &["svn"]),
    (&[Options(&["--photo-viewer"])], &["gpg", "gpg2"]),
    (&[Options(&["--preview", "--bind"])], &["fzf", "sk"]),
    (
        &[Options(&[
            "-F",
            "-I",
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rmt-command",
            "--rsh-command",
            "--to-command",
            "--use-compress-program",
        ])],
        &["bsdtar", "gtar", "tar"],
    ),
    (
        &[AnyOption],
        &[
            "apt", "apt-get", "cargo", "dpkg", "ex", "gdb", "gmake", "gradle", "hg", "less", "lftp", "lldb",
            "make", "mariadb", "more", "mutt", "mvn", "mysql", "nodemon", "npm", "nvim", "pnpm", "psql",
            "rpm", "rustc", "scp", "sftp", "socat", "sqlite3", "ssh", "vi", "view", "vim", "yarn",
        ],
    ),
    (
        &[Language],
        &[
            "bun",
            "deno",
            "elixir",
            "emacs",
            "erl",
            "expect",
            "ghc",
            "groovy",
            "guile",
            "ipython",
            "julia",
            "lua",
            "luajit",
            "m4",
            "node",
            "nodejs",
            "osascript",
            "perl",
            "php",
            "pypy",
            "pypy3",
            "python",
            "python2",
            "python3",
            "racket",
            "raku",
            "Rscript",
            "ruby",
            "sbcl",
            "scala",
            "swipl",
            "tclsh",
            "ts-node",
            "tsx",
        ],
    ),
    (
        &[Obeys],
        &[
            "R", "dc", "ed", "ex", "expect", "gdb", "gnuplot", "lftp", "lldb", "m4", "mariadb", "mysql",
            "octave", "psql", "sftp", "sqlite3",
        ],
    ),
];

/// Wrappers whose words are known well enough to tell where the command begins.
const SHAPES: &[WrapperSyntax] = &[
    WrapperSyntax { name: "busybox", flags: &[], values: &[], operands: 0 },
    WrapperSyntax { name: "env", flags: &[], values: &[], operands: 0 },
    WrapperSyntax { name: "ionice", flags: &["-t"], values: &["-c", "-n"], operands: 0 },
    WrapperSyntax { name: "nice", flags: &[], values: &["-n"], operands: 0 },
    WrapperSyntax { name: "nohup", flags: &[], values: &[], operands: 0 },
    WrapperSyntax {
        name: "setsid",
        flags: &["-c", "-f", "-w", "--fork", "--wait"],
        values: &[],
        operands: 0,
    },
    WrapperSyntax { name: "stdbuf", flags: &[], values: &["-e", "-i", "-o"], operands: 0 },
    WrapperSyntax { name: "time", flags: &["-p"], values: &[], operands: 0 },
    WrapperSyntax {
        name: "timeout",
        flags: &["-v", "--foreground", "--preserve-status"],
        values: &["-k", "-s"],
        operands: 1,
    },
    WrapperSyntax { name: "toybox", flags: &[], values: &[], operands: 0 },
];

/// Programs whose command begins right after `run` or `exec`. Others take an image, a host
/// or an environment first.
const DIRECT: &[&str] =
    &["bundle", "cabal", "conda", "opam", "pipenv", "poetry", "pyenv", "rbenv", "rye", "stack", "uv"];

/// The syntax of a wrapper up to the command that it runs.
struct WrapperSyntax {
    name: &'static str,
    flags: &'static [&'static str],
    /// Options with one letter, whose value is joined or the next word.
    values: &'static [&'static str],
    operands: usize,
}

impl WrapperSyntax {
    /// The index at which the inner command of these words begins, with the wrapper's name first.
    /// Returns `None` if that is not certain.
    fn command_at(&self, words: &[&str]) -> Option<usize> {
        let mut at = 1;
        while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
            let joined = |option: &&str| word.len() > option.len() && word.starts_with(*option);
            at += if self.values.contains(word) {
                2
            } else if self.flags.contains(word) || self.values.iter().any(joined) {
                1
            } else {
                return None;
            };
        }
        at += self.operands;
        // A setting changes what is run, and an option here was not understood.
        words.get(at).filter(|word| !word.starts_with('-') && !word.contains('=')).map(|_| at)
    }
}

/// All ways in which a program runs others.
pub(super) fn ways(name: &str) -> impl Iterator<Item = RunnerKind> {
    let rows = TABLE.iter().filter(move |(_, names)| names.contains(&name));
    rows.flat_map(|(ways, _)| ways.iter().copied()).chain(is_loader(name).then_some(Words))
}

/// Whether a program runs others in this way.
pub(super) fn runs(name: &str, way: RunnerKind) -> bool {
    ways(name).any(|known| known == way)
}

/// Whether a program runs others. Builtins that only set variables do not.
pub(super) fn is_runner(name: &str) -> bool {
    ways(name).any(|way| way != Variables)
}

/// The dynamic loader has many names.
fn is_loader(name: &str) -> bool {
    name.starts_with("ld") && name.contains(".so")
}

/// Whether a program runs texts in its own language.
pub(super) fn is_interpreter(name: &str) -> bool {
    runs(name, Language) || name.starts_with("python3.")
}

/// The earliest index in `words` at which the command that a program runs can begin. A word that is
/// made at run time is `None`. Such a word may be the one after which the command begins.
pub(super) fn command_after(name: &str, words: &[Option<&str>]) -> Option<usize> {
    if name == "command" && matches!(words, [Some("-v" | "-V"), ..]) {
        return None;
    }
    ways(name).find_map(|way| match way {
        Words => Some(0),
        Behind(marks) => {
            let is_mark = |word: &Option<&str>| word.is_none_or(|word| marks.contains(&word));
            words.iter().position(is_mark).map(|at| if words.get(at) == Some(&None) { at } else { at + 1 })
        }
        Script | Input | Feeds | Variables | Options(_) | AnyOption | Language | Obeys => None,
    })
}

/// The index at which the inner command of these words begins, with the program's own name first.
/// Returns `None` if that is not certain.
pub(super) fn certain_command_at(words: &[&str]) -> Option<usize> {
    let name = *words.first()?;
    if let Some(shape) = SHAPES.iter().find(|shape| shape.name == name) {
        return shape.command_at(words);
    }
    let is_behind = |way: RunnerKind| matches!(way, Behind(marks) if words.get(1).is_some_and(|word| marks.contains(word)));
    let at = (DIRECT.contains(&name) && ways(name).any(is_behind)).then_some(2)?;
    let at = if words.get(at) == Some(&"--") { at + 1 } else { at };
    words.get(at).filter(|word| !word.starts_with('-')).map(|_| at)
}

/// Every program of the table with one of its ways, for tests that hold each row.
#[cfg(test)]
pub(crate) fn rows() -> impl Iterator<Item = (&'static str, RunnerKind)> {
    TABLE.iter().flat_map(|(ways, names)| {
        names.iter().flat_map(move |name| ways.iter().map(move |way| (*name, *way)))
    })
}
