//! Families: what one answer of a user can cover beyond the call that was shown.
//!
//! A family is a list of grants, and it covers exactly what they contain: reads in the workspace,
//! writes under one folder, or one host. `approval_gate.rs` offers the family of a call and remembers
//! the answer; commands have families of their own there, by their beginning ([`CommandRule`]).
//! Nothing is offered for paths outside of the workspace, for hidden folders, or for calls that can
//! run programs.
//!
//! [`CommandRule`]: super::CommandRule

use holm_grants::{AccessRequest, FetchPattern, FilePath, Grant, GrantSet, Level};
use holm_kernel::{AskReason, Proposal};

use super::approval_gate::{is_shortened, lasts};

/// Calls that an answer can cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFamily {
    label: String,
    grants: Vec<Grant>,
}

impl AnswerFamily {
    /// The family of a call; none if only the call itself can be approved.
    #[must_use]
    pub fn of(proposal: &Proposal) -> Option<Self> {
        let can_run = proposal.level > Level::Write;
        let needs: Vec<&String> = asked_needs(proposal).collect();
        // That data leaves is answered by naming the host after something was read.
        let names_hosts = needs.iter().all(|need| need.starts_with("fetch:"));
        if can_run || !(lasts(proposal) || names_hosts) || !proposal.hands_on.is_empty() {
            return None;
        }
        let is_answered = |reason: &AskReason| match reason {
            AskReason::Level | AskReason::MissingGrant => true,
            AskReason::EgressAfterMark => names_hosts,
            AskReason::WriteAfterMark | AskReason::HookWants | AskReason::LeavesPlan => false,
        };
        if needs.is_empty() || !proposal.reasons.iter().all(is_answered) {
            return None;
        }
        let mut kinds = NeedKinds::default();
        for need in needs {
            kinds.add(need)?;
        }
        kinds.family()
    }

    /// What it covers, in words and as grants: "writes under src/ (write:src/**)".
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The grants that the answer gives.
    #[must_use]
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }
}

/// Whether answers for families cover a call that misses no grant.
pub(super) fn covers(families: &GrantSet, proposal: &Proposal) -> bool {
    let mut needs = asked_needs(proposal).peekable();
    proposal.level <= Level::Write
        && proposal.hands_on.is_empty()
        && needs.peek().is_some()
        && needs.all(|need| admits(families, need))
}

/// Whether grants contain a need, as it was shown to the user: the whole pattern if it is one,
/// otherwise the single item.
#[must_use]
pub fn admits(grants: &GrantSet, need: &str) -> bool {
    let is_within = match need.parse::<Grant>() {
        Ok(need) => grants.contains(&need),
        Err(_) => need.parse::<AccessRequest>().is_ok_and(|need| grants.admits(&need)),
    };
    is_within && !is_shortened(need)
}

/// The needs that a question is about: no mode asks about reading what is granted.
pub fn asked_needs(proposal: &Proposal) -> impl Iterator<Item = &String> {
    let is_granted_read = |need: &&String| need.starts_with("read:") && !proposal.missing.contains(need);
    proposal.needs.iter().filter(move |need| !is_granted_read(need))
}

/// The needs of one call, by kind.
#[derive(Debug, Default)]
struct NeedKinds {
    reads: bool,
    /// The folders of the files to write.
    written: Vec<Vec<String>>,
    hosts: Vec<FetchPattern>,
}

impl NeedKinds {
    /// Adds a need. Returns `None` if no family can hold it.
    fn add(&mut self, need: &str) -> Option<()> {
        if is_shortened(need) {
            return None;
        }
        match need.parse::<AccessRequest>().ok()? {
            AccessRequest::Read(path) => {
                folder_of(&path)?;
                self.reads = true;
            }
            AccessRequest::Write(path) => self.written.push(folder_of(&path)?),
            AccessRequest::Fetch(url) => self.hosts.push(FetchPattern::origin(&url).ok()?),
            AccessRequest::Env(_)
            | AccessRequest::Exec(_)
            | AccessRequest::Secret(_)
            | AccessRequest::Spawn(_)
            | AccessRequest::Tool(_) => return None,
        }
        Some(())
    }

    fn family(self) -> Option<AnswerFamily> {
        let (what, mut grants) = match (self.written.as_slice(), self.hosts.as_slice()) {
            ([], []) => ("reads here".to_owned(), Vec::new()),
            ([], [host, others @ ..]) if !self.reads && others.iter().all(|other| other == host) => {
                let grant = Grant::Fetch(host.clone());
                let address = grant.to_string();
                let address = address.strip_prefix("fetch:").unwrap_or(&address);
                (format!("everything at {address}"), vec![grant])
            }
            ([first, others @ ..], []) => {
                let folder = others.iter().fold(first.clone(), |folder, other| common(&folder, other));
                let under =
                    if folder.is_empty() { "here".into() } else { format!("under {}/", folder.join("/")) };
                let pattern = folder.iter().map(|part| format!("{part}/")).collect::<String>();
                (format!("writes {under}"), vec![format!("write:{pattern}**").parse().ok()?])
            }
            _ => return None,
        };
        let what = match (self.reads, grants.is_empty()) {
            (true, false) => format!("reads here and {what}"),
            _ => what,
        };
        if self.reads {
            grants.insert(0, "read:**".parse().ok()?);
        }
        let shown: Vec<String> = grants.iter().map(ToString::to_string).collect();
        Some(AnswerFamily { label: format!("{what} ({})", shown.join(" ")), grants })
    }
}

/// The folder of a file in the workspace. `None` outside of it, for hidden folders, whose files other
/// programs may run, and for names that a pattern would not take literally.
fn folder_of(path: &FilePath) -> Option<Vec<String>> {
    let is_plain = |part: &str| {
        !part.starts_with('.')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' '))
    };
    let mut folder: Vec<String> = path.components().map(str::to_owned).collect();
    folder.pop();
    let fits = !path.is_absolute() && folder.iter().all(|part| is_plain(part));
    fits.then_some(folder)
}

/// The folder that holds both.
fn common(one: &[String], other: &[String]) -> Vec<String> {
    one.iter().zip(other).take_while(|(one, other)| one == other).map(|(part, _)| part.clone()).collect()
}
