//! Programs that are more than their name says. Lists for leaning to the safe side, never for letting something pass.

/// They run the command that their words are.
pub(super) const WRAPPERS: &[&str] = &[
    "builtin",
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
    "exec",
    "fakeroot",
    "find",
    "firejail",
    "flock",
    "git-sh-setup",
    "ionice",
    "logger",
    "ltrace",
    "nice",
    "nohup",
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
    "alias", "ash", "bash", "busybox", "csh", "dash", "elvish", "env", "eval", "fish", "git", "ksh", "mksh",
    "parallel", "rbash", "script", "sh", "ssh", "su", "tcsh", "trap", "watch", "xonsh", "yash", "zsh",
];

/// They read what they run from elsewhere when they get no words.
pub(super) const READERS: &[&str] =
    &["ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "yash", "zsh"];

/// Their words are programs, or change how later commands run: no beginning of such a command is ever remembered.
const HOSTS: &[&str] = &[
    ".",
    "[",
    "[[",
    "awk",
    "bc",
    "bun",
    "cd",
    "curl",
    "dc",
    "declare",
    "deno",
    "docker",
    "ed",
    "emacs",
    "enable",
    "ex",
    "export",
    "expect",
    "gawk",
    "gdb",
    "hash",
    "java",
    "jshell",
    "jq",
    "kubectl",
    "less",
    "lua",
    "m4",
    "make",
    "man",
    "mawk",
    "more",
    "nano",
    "nawk",
    "nc",
    "ncat",
    "node",
    "npx",
    "osascript",
    "perl",
    "php",
    "pip",
    "podman",
    "popd",
    "psql",
    "pushd",
    "python",
    "read",
    "readonly",
    "rsync",
    "ruby",
    "scp",
    "sed",
    "set",
    "sftp",
    "shopt",
    "socat",
    "source",
    "sqlite3",
    "tar",
    "tclsh",
    "tee",
    "telnet",
    "test",
    "typeset",
    "unset",
    "uvx",
    "vi",
    "view",
    "vim",
    "vimdiff",
    "wget",
    "zip",
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

/// Commands of those that run what the next word names.
const RUNS: &[&str] =
    &["run", "run-script", "exec", "x", "dlx", "tool", "bisect", "submodule", "filter-branch", "rebase"];

/// How many words of a command are worth remembering together; none where no beginning of it is safe.
pub(super) fn prefix_length(words: &[&str]) -> Option<usize> {
    let name = words.first()?;
    let plain = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+'))
            && word.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
    };
    let hosts = [HOSTS, WRAPPERS].concat();
    // Also with a version behind: python3.12.
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if !plain(name) || hosts.contains(name) || hosts.contains(&stem) {
        return None;
    }
    if SHELLS.contains(name) && *name != "git" {
        return None;
    }
    if !MANY.contains(name) {
        return Some(1);
    }
    let command = words.get(1).filter(|word| plain(word))?;
    if RUNS.contains(command) { None } else { Some(2) }
}
