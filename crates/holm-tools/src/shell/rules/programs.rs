//! Programs that are more than their name says. Lists for leaning to the safe side, never for letting something pass
//! unasked: a person reads what is offered.

/// They run the command that their words are.
pub(super) const WRAPPERS: &[&str] = &[
    "builtin",
    "bunx",
    "busybox",
    "caffeinate",
    "chpst",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "cpulimit",
    "doas",
    "env",
    "entr",
    "exec",
    "fakeroot",
    "fd",
    "fdfind",
    "find",
    "firejail",
    "flock",
    "git-sh-setup",
    "ionice",
    "logger",
    "ltrace",
    "nice",
    "nohup",
    "npx",
    "nsenter",
    "numactl",
    "parallel",
    "pkexec",
    "prlimit",
    "proxychains",
    "rlwrap",
    "runuser",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "sg",
    "ssh",
    "start-stop-daemon",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "unbuffer",
    "unshare",
    "watch",
    "xargs",
    "bwrap",
];

/// They run the script that one of their words is.
pub(super) const SHELLS: &[&str] = &[
    "alias", "ash", "bash", "busybox", "csh", "dash", "elvish", "env", "eval", "fish", "flock", "ksh",
    "mksh", "parallel", "rbash", "runuser", "script", "sg", "sh", "ssh", "su", "tcsh", "trap", "watch",
    "xonsh", "yash", "zsh",
];

/// They set variables for the command that they run.
pub(super) const SETTERS: &[&str] = &["doas", "env", "sudo"];

/// They add words from elsewhere to the command that they run.
pub(super) const FEEDERS: &[&str] = &["entr", "fd", "fdfind", "parallel", "xargs"];

/// They read what they run from elsewhere when they get no words.
pub(super) const READERS: &[&str] =
    &["ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "rbash", "sh", "tcsh", "yash", "zsh"];

/// What they do is what their name says, and their words are only texts and files: a beginning of such a command may be
/// remembered. Whatever is not listed here or below is asked about each time, for no list of interpreters is complete.
const PLAIN: &[&str] = &[
    "b2sum",
    "base64",
    "basename",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cp",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expr",
    "false",
    "fgrep",
    "file",
    "fold",
    "grep",
    "head",
    "hexdump",
    "id",
    "join",
    "ls",
    "md5sum",
    "mkdir",
    "mv",
    "nl",
    "nproc",
    "od",
    "paste",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "rmdir",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "sleep",
    "stat",
    "strings",
    "tac",
    "tail",
    "touch",
    "tr",
    "tree",
    "true",
    "uname",
    "uniq",
    "wc",
    "whoami",
];

/// Programs of many commands: only the command says what is done.
const MANY: &[&str] = &[
    "apt",
    "apt-get",
    "brew",
    "bundle",
    "cargo",
    "dnf",
    "gem",
    "gh",
    "git",
    "go",
    "gradle",
    "hg",
    "jj",
    "mvn",
    "npm",
    "pnpm",
    "poetry",
    "rustup",
    "svn",
    "swift",
    "systemctl",
    "terraform",
    "uv",
    "yarn",
    "zig",
];

/// Commands of those that run what the next word names, or keep what is run later.
const RUNS: &[&str] = &[
    "alias",
    "bisect",
    "config",
    "difftool",
    "dlx",
    "exec",
    "filter-branch",
    "hook",
    "mergetool",
    "rebase",
    "run",
    "run-script",
    "submodule",
    "tool",
    "x",
];

/// How many words of a command are worth remembering together; none where no beginning of it is safe.
pub(super) fn prefix_length(words: &[&str]) -> Option<usize> {
    let name = words.first()?;
    let plain = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+'))
            && word.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
    };
    if PLAIN.contains(name) {
        return Some(1);
    }
    if !MANY.contains(name) {
        return None;
    }
    let command = words.get(1).filter(|word| plain(word))?;
    if RUNS.contains(command) { None } else { Some(2) }
}
