//! The report for the model about a command: its output, how it ended, and what it was refused,
//! with the grant to ask for. It runs nothing and grants nothing. The output itself is cut in
//! `output.rs`, and what was changed is found in `changes.rs`. A program's output may only choose
//! among the things that the call names (`call.rs`) or that the proxy refused: it must never become
//! advice, because a hostile program could write it.

use std::path::{Path, PathBuf};

use holm_grants::{AccessRequest, FilePath, Grant};
use holm_jail::{
    JailEnding, JailEngine, JailOutcome, ProtectedName, ProtectedNameFate, SuspectedDenial,
    is_protected_in_git,
};
use holm_kernel::{ToolOutput, visible_line};

use super::call::ShellCall;
use super::proxy::ProxyDenied;
use super::setup::ShellSetup;
use crate::root::git::{GitFolder, GitNamedPaths};
use crate::root::{DenyRules, autorun};

/// A grant that a command missed, and how the model asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MissingGrantHint {
    grant: String,
    argument: &'static str,
    value: String,
}

/// Tells how a command ended; `text` is what it wrote.
pub(super) fn report(
    setup: &ShellSetup,
    call: &ShellCall,
    text: String,
    outcome: &JailOutcome,
    hosts: &[ProxyDenied],
    changes: &[String],
) -> ToolOutput {
    let mut lines = first_lines(setup, call, &text, outcome);
    lines.extend(turned_away(setup, call, hosts));
    lines.extend(not_found(setup, call, &text));
    let has_failed = outcome.ending != JailEnding::Exited(0);
    if has_failed || is_git_refused(setup, call, outcome) {
        lines.extend(refusals(setup, call, outcome, hosts));
        lines.extend(hidden_from_git(call, &text).map(str::to_owned));
    }
    lines.extend(changes.iter().cloned());
    joined(text, &lines, outcome)
}

/// Whether git could not write its folder. The script may have gone on after that, so its exit status
/// does not say it: `git commit …; git status`.
fn is_git_refused(setup: &ShellSetup, call: &ShellCall, outcome: &JailOutcome) -> bool {
    let git = setup.workspace.join(".git");
    let is_in_git = |suspicion: &SuspectedDenial| match suspicion {
        SuspectedDenial::File(AccessRequest::Write(path)) => Path::new(path.as_str()).starts_with(&git),
        SuspectedDenial::File(_) | SuspectedDenial::Network(_) => false,
    };
    call.calls_git() && outcome.suspicions.iter().any(is_in_git)
}

/// Why git cannot add or compare a file of the deny list, which is not a regular file in the jail.
fn hidden_from_git(call: &ShellCall, text: &str) -> Option<&'static str> {
    let is_refused =
        ["can only add regular files", "unsupported file type"].iter().any(|why| text.contains(why));
    (call.calls_git() && is_refused).then_some(
        "files of the deny list, such as .env, are hidden from commands, so git cannot add or compare them and shows \
         them as changed; name the files that you mean, or leave such a file out: git add -A -- . ':!.env'",
    )
}

/// As [`report`], for a command that could only look: no grant would have opened more.
pub(super) fn report_read_only(
    setup: &ShellSetup,
    call: &ShellCall,
    text: String,
    outcome: &JailOutcome,
    changes: &[String],
) -> ToolOutput {
    let mut lines = first_lines(setup, call, &text, outcome);
    lines.extend(not_found(setup, call, &text));
    if outcome.ending != JailEnding::Exited(0) {
        lines.push(READ_ONLY.to_owned());
    }
    lines.extend(changes.iter().cloned());
    joined(text, &lines, outcome)
}

/// Why a command may have failed that could only look.
const READ_ONLY: &str = "plan mode: commands can write to $TMPDIR only, and have no network";

fn first_lines(setup: &ShellSetup, call: &ShellCall, text: &str, outcome: &JailOutcome) -> Vec<String> {
    let status = ending(outcome.ending, call);
    let status = if text.is_empty() { format!("no output; {status}") } else { status };
    let appeared = outcome.appeared.iter().map(|name| appeared(&setup.workspace, name));
    std::iter::once(status).chain(appeared).collect()
}

/// The output with these lines after it.
fn joined(mut text: String, lines: &[String], outcome: &JailOutcome) -> ToolOutput {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("[{line}]")).collect();
    text.push_str(&lines.join("\n"));
    let has_failed = outcome.ending != JailEnding::Exited(0) || !outcome.appeared.is_empty();
    if has_failed { ToolOutput::failed(text) } else { ToolOutput::text(text) }
}

/// A line about a protected name that appeared while the command ran.
#[must_use]
pub fn appeared(workspace: &Path, name: &ProtectedName) -> String {
    let path = |path: &Path| visible_line(&path.strip_prefix(workspace).unwrap_or(path).to_string_lossy());
    let fate = match &name.fate {
        ProtectedNameFate::Removed => "was removed".into(),
        ProtectedNameFate::SetAside(aside) => format!("was renamed to {}", path(aside)),
        ProtectedNameFate::Stays => "could not be removed: inspect it before you use it".into(),
    };
    let path = path(&name.path);
    format!("{path} is protected: commands cannot create it; it appeared while this one ran and {fate}")
}

/// Lines about hosts that the proxy refused; these are known, also where the command made do without.
fn turned_away(setup: &ShellSetup, call: &ShellCall, hosts: &[ProxyDenied]) -> Vec<String> {
    let line = |refusal: &ProxyDenied| match refusal {
        ProxyDenied::Missing { grant, url } => {
            let next = next_step(setup, call, grant, "fetch", url);
            format!("refused: missing grant {grant}{}; {next}", said_before(setup, grant))
        }
        ProxyDenied::Never(why) => format!("refused, and no grant opens it: {why}"),
        ProxyDenied::Path(url) => format!("{}; name the host alone in \"fetch\"", opens_nothing(url)),
    };
    hosts.iter().map(line).collect()
}

/// Why what names a path opens no host for a process.
pub(crate) fn opens_nothing(url: &str) -> String {
    format!(
        "{url} has no effect here: it names a path, and a command's network access cannot be limited to a \
        path"
    )
}

/// How a command ended.
fn ending(ending: JailEnding, call: &ShellCall) -> String {
    match ending {
        JailEnding::Exited(code) => format!("exit status {code}"),
        JailEnding::Signalled(signal) => format!("killed by signal {signal}"),
        JailEnding::TimedOut => {
            let after = call.wall().map(|wall| format!(" after {} s", wall.as_secs())).unwrap_or_default();
            format!("stopped: it timed out{after}; ask for more seconds or do less")
        }
        JailEnding::Cancelled => "stopped: it was cancelled".into(),
        JailEnding::OutOfOutput => "stopped: it wrote too much; send the output to a file".into(),
        JailEnding::OutOfMemory => "stopped: it used too much memory".into(),
        JailEnding::MadeProtected => "stopped: it created protected files repeatedly".into(),
        JailEnding::Lost => "its outcome is unknown: the process that supervised it died".into(),
    }
}

/// Lines about programs that a shell did not find, of those that the call names: where they are on
/// this machine, and how to ask.
fn not_found(setup: &ShellSetup, call: &ShellCall, text: &str) -> Vec<String> {
    let is_missed = |name: &&str| {
        let ends = ["command not found", "not found", "No such file or directory"];
        let said = ends.map(|end| format!("{name}: {end}"));
        said.iter().any(|said| text.contains(said))
    };
    let mut names: Vec<&str> = call.programs().filter(is_missed).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().filter_map(|name| missed(setup, call, name)).collect()
}

/// Where a program is that a command could not start; none where it is nowhere.
fn missed(setup: &ShellSetup, call: &ShellCall, name: &str) -> Option<String> {
    if ["apply_patch", "applypatch"].contains(&name) {
        return Some(format!("{name} is not a program here; call the tool patch with the same text as diff"));
    }
    if name.contains('/') {
        let folder = setup.missing_interpreter(&call.file_of(name))?;
        let ask = MissingGrantHint::program(&folder).how_to_ask(setup, call);
        return Some(format!("the Python of {name} is in {}; {ask}", folder.display()));
    }
    let folder = setup.program(name).ok()?.parent()?.display().to_string();
    let missing: Vec<MissingGrantHint> =
        setup.missing_program(name).iter().map(|folder| MissingGrantHint::program(folder)).collect();
    if missing.is_empty() {
        return None;
    }
    let asks: Vec<String> = missing.iter().map(|one| one.how_to_ask(setup, call)).collect();
    Some(format!("{name} is in {folder} on this machine; {}", asks.join("; ")))
}

/// Lines about what the jail probably refused. A program's output can be made to say anything. So
/// it only selects which of the things that the call itself names is meant.
fn refusals(
    setup: &ShellSetup,
    call: &ShellCall,
    outcome: &JailOutcome,
    hosts: &[ProxyDenied],
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut missing: Vec<MissingGrantHint> = Vec::new();
    for suspicion in &outcome.suspicions {
        match suspicion {
            SuspectedDenial::File(request) => match file(setup, call, request) {
                Some(Ok(found)) => missing.push(found),
                Some(Err(never)) => lines.push(never),
                None => {}
            },
            // The requests that the proxy received are known, which is better than a guess.
            SuspectedDenial::Network(_) if hosts.iter().any(ProxyDenied::was_asked_for) => {}
            SuspectedDenial::Network(host) => {
                lines.push(network(setup, host.as_deref().filter(|host| call.names_host(host))));
            }
        }
    }
    missing.dedup();
    lines.dedup();
    lines.extend(missing.iter().map(|one| format!("probably refused: {}", one.how_to_ask(setup, call))));
    lines.extend(own_network(setup, call, outcome).map(str::to_owned));
    lines
}

/// The hint for a command that names this machine and reached no server there.
fn own_network(setup: &ShellSetup, call: &ShellCall, outcome: &JailOutcome) -> Option<&'static str> {
    let names_own = ["localhost", "127.0.0.1"].iter().any(|host| call.names_host(host));
    if !names_own || setup.connector.is_none() || setup.engine == JailEngine::Unconfined {
        return None;
    }
    let text = String::from_utf8_lossy(&outcome.stdout.bytes).to_lowercase();
    let is_refused = ["connection refused", "failed to connect", "couldn't connect", "econnrefused"];
    let hint = "localhost is the command's own network: it has only the servers that the command starts. \
        To reach one of the user's, add its address to \"fetch\", such as http://127.0.0.1:8000";
    is_refused.iter().any(|said| text.contains(said)).then_some(hint)
}

/// What to say of a program that found no network.
fn network(setup: &ShellSetup, host: Option<&str>) -> String {
    // A host that no grant opens is not reported as a missing grant.
    let grant = host.and_then(|host| format!("fetch:https://{host}").parse::<Grant>().ok());
    let missing = grant.map(|grant| format!(". Missing grant: {grant}")).unwrap_or_default();
    if setup.connector.is_none() {
        let tool = if missing.is_empty() { "" } else { ", which the fetch tool can use" };
        return format!("refused: the network; commands have none, regardless of grants{missing}{tool}");
    }
    format!(
        "refused: the network; use the proxy in http_proxy and https_proxy, which reaches the hosts that \
        the call names in \"fetch\"{missing}"
    )
}

impl MissingGrantHint {
    fn new(argument: &'static str, value: String) -> Self {
        Self { grant: format!("{argument}:{value}/**"), argument, value }
    }

    fn program(folder: &Path) -> Self {
        Self::new("exec", folder.to_string_lossy().into_owned())
    }

    /// What is missing, and what to do about it.
    fn how_to_ask(&self, setup: &ShellSetup, call: &ShellCall) -> String {
        let Self { grant, argument, value } = self;
        let next = next_step(setup, call, grant, argument, value);
        format!("it needs the grant {grant}{}; {next}", said_before(setup, grant))
    }
}

/// Marks a hint that the model has already had, so that it tries something else.
fn said_before(setup: &ShellSetup, grant: &str) -> &'static str {
    if setup.offers(grant) { "" } else { " (said before)" }
}

/// What a model can do about a missing grant. If no user can be asked, a call that names the grant
/// passes only if the run holds it already.
fn next_step(setup: &ShellSetup, call: &ShellCall, grant: &str, argument: &str, value: &str) -> String {
    let again = format!("call again with {value:?} added to {argument:?}");
    let Some(agreed) = &setup.unattended else { return format!("to ask for it, {again}") };
    let parsed = grant.parse::<Grant>().ok();
    if parsed.is_some_and(|grant| call.granted().contains(&grant) || agreed.contains(&grant)) {
        return again;
    }
    "it was not granted for this run, and no user can be asked".into()
}

/// The grant for a refused file that the call names, or why no grant helps.
fn file(
    setup: &ShellSetup,
    call: &ShellCall,
    request: &AccessRequest,
) -> Option<Result<MissingGrantHint, String>> {
    let (argument, path) = match request {
        AccessRequest::Write(path) => ("write", Path::new(path.as_str())),
        AccessRequest::Read(path) => ("read", Path::new(path.as_str())),
        _ => return None,
    };
    let git = setup.workspace.join(".git");
    let by_git = || (call.calls_git() && path.starts_with(&git)).then(|| git.clone());
    let asked = path;
    let path = &call.names_path(path).or_else(by_git)?;
    let inside = path.strip_prefix(&setup.workspace).ok();
    // What is never written may lie in what the call names.
    let never = [path, asked].into_iter().find(|place| is_never_written(setup, place));
    if let Some(never) = never.filter(|_| argument == "write") {
        return Some(Err(format!(
            "refused: commands can never write {}, regardless of grants",
            never.display()
        )));
    }
    if argument == "write"
        && let Some(row) = inside.unwrap_or(path).to_str().and_then(autorun::find)
        && row.handling == autorun::AutorunHandling::Protected
    {
        return Some(Err(format!(
            "refused: {} is protected, because {}; commands can write it only if the user grants that \
            path by name",
            path.display(),
            row.runner
        )));
    }
    if argument == "write" && is_named_by_git(setup, path) {
        return Some(Err(format!(
            "refused: the git configuration or a hook names {}, so commands can never write it, regardless of grants",
            path.display()
        )));
    }
    if let Some(rule) = denial(setup, request, path) {
        return Some(Err(format!(
            "refused: the deny list keeps {} from commands, regardless of grants ({rule})",
            path.display()
        )));
    }
    let place = match inside {
        // Git is opened as a whole.
        Some(inside) if inside.starts_with(".git") => PathBuf::from(".git"),
        Some(inside) => inside.to_owned(),
        None => folder_of(path),
    };
    Some(Ok(MissingGrantHint::new(argument, place.to_string_lossy().into_owned())))
}

/// Whether no grant opens a path for writing, in any repository.
fn is_never_written(setup: &ShellSetup, path: &Path) -> bool {
    path.starts_with(setup.workspace.join(".holm")) || is_protected_in_git(path)
}

/// Whether git would run or obey a path of the workspace because its configuration says so.
fn is_named_by_git(setup: &ShellSetup, path: &Path) -> bool {
    let workspace = &setup.workspace;
    let nested = path.ancestors().skip(1).take_while(|folder| folder.starts_with(workspace));
    let repositories: Vec<GitFolder> =
        nested.filter_map(GitFolder::of).chain(GitFolder::around(workspace)).collect();
    GitNamedPaths::find(workspace, &repositories).holding(path).is_some()
}

/// The rule of the deny list about a path. A rule for any folder also holds outside the workspace.
fn denial(setup: &ShellSetup, request: &AccessRequest, path: &Path) -> Option<String> {
    let kind = match request {
        AccessRequest::Write(_) => AccessRequest::Write,
        _ => AccessRequest::Read,
    };
    let inside = path.strip_prefix(&setup.workspace).or_else(|_| path.strip_prefix("/")).ok();
    let names = [Some(path), inside].into_iter().flatten().filter_map(|name| name.to_str()?.parse().ok());
    names.into_iter().find_map(|name: FilePath| {
        let request = kind(name.clone());
        let rule = setup.denials.iter().find(|rule| rule.hits(&request))?;
        (!DenyRules::is_example(rule, &name)).then(|| rule.to_string())
    })
}

/// An existing folder that contains the path: a missing folder cannot be a root.
fn folder_of(path: &Path) -> PathBuf {
    let there = path.ancestors().find(|place| place.is_dir() && *place != Path::new("/"));
    there.unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests;
