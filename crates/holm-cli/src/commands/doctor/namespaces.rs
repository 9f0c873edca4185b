//! Checks for `holm doctor` that this machine gives user namespaces to ordinary users, because the
//! strongest jail is made of them. Ubuntu refuses them to programs without a profile of `AppArmor`;
//! some kernels and containers refuse them to everyone. It tries to make one, and reads the
//! kernel's switches only to explain a failure.
//!
//! It confines nothing: which engine a jail uses is decided in `holm-jail/src/engine.rs`. All
//! findings are printed in `commands/doctor.rs`.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use holm_jail::JailEngine;

use super::{DiagnosisState, DoctorFinding};

/// The trusted places of the program that makes a namespace and does nothing else.
const UNSHARE: [&str; 2] = ["/usr/bin/unshare", "/bin/unshare"];

/// A setting of the kernel that forbids user namespaces.
struct NamespaceSwitch {
    file: &'static str,
    /// The value that forbids them.
    off: &'static str,
    /// The text that says who refuses them.
    cause: &'static str,
    /// The text with a command that allows them again.
    fix: &'static str,
}

const SWITCHES: [NamespaceSwitch; 3] = [
    NamespaceSwitch {
        file: "/proc/sys/user/max_user_namespaces",
        off: "0",
        cause: "this machine allows no user namespaces (user.max_user_namespaces is 0)",
        fix: "run `sudo sysctl user.max_user_namespaces=15000`",
    },
    NamespaceSwitch {
        file: "/proc/sys/kernel/unprivileged_userns_clone",
        off: "0",
        cause: "this machine allows user namespaces to root alone (kernel.unprivileged_userns_clone is 0)",
        fix: "run `sudo sysctl kernel.unprivileged_userns_clone=1`",
    },
    NamespaceSwitch {
        file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        off: "1",
        cause: "AppArmor refuses user namespaces to programs without a profile, as Ubuntu does by default \
                (kernel.apparmor_restrict_unprivileged_userns is 1)",
        fix: "give bwrap an AppArmor profile (`bwrap-userns-restrict` of the package apparmor-profiles), or \
              run `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
    },
];

/// The result of the trial.
struct NamespaceTrial {
    /// Whether a program could make a user namespace, or why not.
    made: Result<(), String>,
    /// Whether Landlock can confine commands instead.
    has_landlock: bool,
}

pub(super) fn finding() -> DoctorFinding {
    let made = match JailEngine::bubblewrap() {
        Ok(_) => Ok(()),
        // Without bubblewrap the namespaces themselves may still work.
        Err(why) => try_unshare().unwrap_or(Err(format!("bubblewrap {why}"))),
    };
    let trial = NamespaceTrial { made, has_landlock: JailEngine::landlock().is_ok() };
    explain(&trial, |file| std::fs::read_to_string(file).ok())
}

/// Whether a program can make a user namespace; `None` if there is no program to try it with.
fn try_unshare() -> Option<Result<(), String>> {
    let program = UNSHARE.iter().map(Path::new).find(|path| path.is_file())?;
    let mut command = Command::new(program);
    command.args(["--user", "--map-root-user", "--mount", "/bin/true"]).env_clear().stdin(Stdio::null());
    let tried = command.output().map_err(|error| error.to_string());
    Some(tried.and_then(|tried| {
        let said = String::from_utf8_lossy(&tried.stderr);
        if tried.status.success() { Ok(()) } else { Err(said.trim().to_owned()) }
    }))
}

fn explain(trial: &NamespaceTrial, read: impl Fn(&str) -> Option<String>) -> DoctorFinding {
    let Err(why) = &trial.made else {
        let words = "user namespaces work".to_owned();
        return DoctorFinding { what: "namespaces", state: DiagnosisState::Good, words };
    };
    let is_off = |switch: &&NamespaceSwitch| read(switch.file).is_some_and(|set| set.trim() == switch.off);
    let (cause, fix) = match SWITCHES.iter().find(is_off) {
        Some(switch) => (switch.cause.to_owned(), switch.fix),
        None => (
            format!("this machine refuses user namespaces ({why})"),
            "in a container, start it with a seccomp profile that allows them; elsewhere, install bubblewrap",
        ),
    };
    let (state, meaning) = if trial.has_landlock {
        (DiagnosisState::Lacking, "so commands run in the weaker jail of Landlock")
    } else {
        (DiagnosisState::Bad, "so no command can run in a jail")
    };
    DoctorFinding { what: "namespaces", state, words: format!("{cause}, {meaning}; {fix}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(made: Result<(), &str>, has_landlock: bool, switch: Option<(&str, &str)>) -> DoctorFinding {
        let trial = NamespaceTrial { made: made.map_err(str::to_owned), has_landlock };
        explain(&trial, |file| {
            let (name, value) = switch?;
            file.ends_with(name).then(|| format!("{value}\n"))
        })
    }

    #[test]
    fn what_works_is_good_whatever_the_switches_say() {
        let found = check(Ok(()), false, Some(("apparmor_restrict_unprivileged_userns", "1")));
        assert_eq!((found.state, found.words.as_str()), (DiagnosisState::Good, "user namespaces work"));
    }

    #[test]
    fn a_refusal_names_who_refuses_what_it_means_and_what_to_do() {
        for (name, value, cause, fix) in [
            ("max_user_namespaces", "0", "user.max_user_namespaces is 0", "user.max_user_namespaces=15000"),
            ("unprivileged_userns_clone", "0", "to root alone", "kernel.unprivileged_userns_clone=1"),
            ("apparmor_restrict_unprivileged_userns", "1", "as Ubuntu does", "bwrap-userns-restrict"),
        ] {
            let found = check(Err("fails: Operation not permitted"), true, Some((name, value)));
            assert_eq!(found.state, DiagnosisState::Lacking);
            for words in [cause, fix, "so commands run in the weaker jail of Landlock"] {
                assert!(found.words.contains(words), "{words}: {}", found.words);
            }
        }
    }

    #[test]
    fn without_a_switch_the_system_s_own_words_are_told_and_without_landlock_it_is_bad() {
        let found = check(Err("unshare: Operation not permitted"), false, Some(("max_user_namespaces", "9")));
        assert_eq!(found.state, DiagnosisState::Bad);
        assert!(
            found.words.contains("(unshare: Operation not permitted), so no command can run"),
            "{}",
            found.words
        );
    }
}
