//! Decides whether a call may run: deny, ask or allow. One evaluator for every host.
//!
//! Authority is a value: the grants of the run, the grants that people gave during the run, the
//! mode, and the marks of content that entered. Deny is final. Nothing here looks at the outside
//! world. It does not ask (`run/question.rs`), start or stop a call (`run/call.rs`,
//! `run/changes.rs`), and what a grant contains is decided in `holm-grants`. Everything that a
//! decision depends on must raise the authority's epoch when it changes: permissions are only
//! checked again when the epoch differs.

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use holm_grants::{
    AccessRequest, CallNeed, Grant, GrantKind, GrantLease, GrantLeases, GrantSet, Level, LevelDecision,
    PolicyDecision,
};
use holm_guards::json::Json;

use super::{Run, plan::leaves_plan};
use crate::{Approvals, AskReason, CallAccess, MarkRule, Timestamp, ToolSpec};

/// The decision of the rules about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PermitDecision {
    Deny(String),
    Ask { reasons: Vec<AskReason>, missing: Vec<String> },
    Allow,
}

/// Whether a person knew all marks when giving a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GrantorKnowledge {
    /// The question showed all marks of now.
    Current,
    /// A mark was set after the question was shown.
    Outdated,
}

/// What calls may use without naming it, kept until the authority changes. It is computed from the
/// state, so a snapshot does not hold it.
#[derive(Debug, Default)]
pub(crate) struct StandingGrants {
    kept: Option<EpochGrants>,
    nothing: Arc<GrantSet>,
}

/// The standing grants of one epoch of the authority.
#[derive(Debug)]
struct EpochGrants {
    epoch: u64,
    grants: Arc<GrantSet>,
}

impl Run {
    /// The needs of a call, from the tool's templates and the call's arguments.
    pub(super) fn needs(&self, tool: &ToolSpec, arguments: &Json) -> Result<Arc<[CallNeed]>, String> {
        if tool.needs.is_empty() {
            return Ok(Arc::default());
        }
        let texts = ArgumentTexts::of(arguments);
        let mut needs = Vec::new();
        for template in &tool.needs {
            let found = template.needs_in(self.config().workspace.as_ref(), |name| texts.of_argument(name));
            needs.extend(found.map_err(|error| alloc::format!("not run: {error}"))?);
        }
        if let Some(workspace) = &self.config().workspace {
            // Grants and denials name files relative to the workspace.
            needs.iter_mut().for_each(|need| *need = need.rebased(workspace));
        }
        Ok(needs.into())
    }

    pub(super) fn decide(&self, tool: &ToolSpec, needs: &[CallNeed]) -> PermitDecision {
        if leaves_plan(tool)
            && let Some(reason) = self.stays_in_plan()
        {
            return PermitDecision::Deny(reason);
        }
        // Leaving plan mode has no level of its own: a person decides about it, regardless of the
        // declaration.
        let access = self.access(tool);
        let level = if leaves_plan(tool) { Level::None } else { access.level(tool.level) };
        if self.state.mode.stance(level) == LevelDecision::Deny {
            return PermitDecision::Deny(self.refused_in_plan(tool));
        }
        if let Some(denial) = self.denied_by_name(tool) {
            return PermitDecision::Deny(denial);
        }
        let looked_at;
        let needs = match access {
            CallAccess::Full => needs,
            CallAccess::ReadOnly => {
                looked_at = access.allowed_of(needs);
                &looked_at
            }
        };
        let mut missing = Vec::new();
        for need in needs {
            let from_root = self.spelled_from_root(need);
            let policy = &self.state.authority.policy;
            match (policy.decide_need(need), from_root.as_ref().map(|need| policy.decide_need(need))) {
                (PolicyDecision::Denied(denial), _) | (_, Some(PolicyDecision::Denied(denial))) => {
                    return PermitDecision::Deny(alloc::format!(
                        "denied: `{need}` is on the deny list (`{denial}`)"
                    ));
                }
                (PolicyDecision::Granted(_), _) | (_, Some(PolicyDecision::Granted(_))) => {}
                (PolicyDecision::Missing, _) if self.is_leased(need) => {}
                // A call that can only look changes and sends nothing, whatever it runs. If the model
                // itself began to plan, commands still need the grants of the mode before.
                (PolicyDecision::Missing, _)
                    if access == CallAccess::ReadOnly
                        && kind_of(need) == GrantKind::Exec
                        && self.state.planning_from.is_none() => {}
                (PolicyDecision::Missing, _) => missing.push(need.to_string()),
            }
        }
        let reasons = self.reasons_to_ask(tool, needs, level, &missing);
        if reasons.is_empty() {
            return PermitDecision::Allow;
        }
        if self.config().approvals == Approvals::Deny {
            return PermitDecision::Deny(denial(tool, &missing));
        }
        PermitDecision::Ask { reasons, missing }
    }

    /// The absolute spelling of a path in the workspace: grants and denials of absolute paths
    /// also apply to it.
    fn spelled_from_root(&self, need: &CallNeed) -> Option<CallNeed> {
        need.spelled_from_root(self.config().workspace.as_ref()?)
    }

    fn denied_by_name(&self, tool: &ToolSpec) -> Option<String> {
        let named = AccessRequest::new(GrantKind::Tool, &tool.name).ok()?;
        let denial = self.state.authority.policy.denials.hitting(&named);
        denial.map(|denial| alloc::format!("denied: `{}` is on the deny list (`{denial}`)", tool.name))
    }

    fn reasons_to_ask(
        &self,
        tool: &ToolSpec,
        needs: &[CallNeed],
        level: Level,
        missing: &[String],
    ) -> Vec<AskReason> {
        // A model that begins to plan by itself gets nothing that it would have to ask for otherwise.
        let before = self.state.planning_from.filter(|_| level < tool.level);
        let stance = before.map_or(self.state.mode.stance(level), |mode| mode.stance(tool.level));
        let mut reasons = Vec::new();
        // No grant or lease answers this: a person does, every time.
        if leaves_plan(tool) {
            reasons.push(AskReason::LeavesPlan);
        }
        if !missing.is_empty() {
            reasons.push(AskReason::MissingGrant);
        }
        if stance == LevelDecision::Ask && !self.is_tool_granted(tool) {
            reasons.push(AskReason::Level);
        }
        if self.marks_apply(level) && !self.is_given_since(tool, needs) {
            let egress = tool.yields.egress || needs.iter().any(sends_out);
            if egress {
                reasons.push(AskReason::EgressAfterMark);
            }
            if level >= Level::Write && !needs.iter().any(names_a_change) {
                reasons.push(AskReason::WriteAfterMark);
            }
        }
        if reasons.is_empty() && self.config().approvals == Approvals::AskAlways {
            reasons.push(AskReason::HookWants);
        }
        reasons
    }

    fn marks_apply(&self, level: Level) -> bool {
        let marks = self.state.marks;
        match self.config().mark_rule {
            MarkRule::AskAfterAny => marks.any(),
            MarkRule::AskAfterBoth if level >= Level::Write => marks.any(),
            MarkRule::AskAfterBoth => marks.untrusted && marks.private,
            MarkRule::ShowOnly => false,
        }
    }

    /// Whether a grant or a lease names the tool, which answers what the mode would ask.
    fn is_tool_granted(&self, tool: &ToolSpec) -> bool {
        let Ok(named) = AccessRequest::new(GrantKind::Tool, &tool.name) else { return false };
        self.state.authority.policy.grants.admits(&named) || self.is_leased(&CallNeed::Request(named))
    }

    /// Whether leases of this run cover the call: by the name of the tool, or need by need.
    fn is_given_since(&self, tool: &ToolSpec, needs: &[CallNeed]) -> bool {
        let since = &self.state.authority.given_since;
        let named = AccessRequest::new(GrantKind::Tool, &tool.name).map(CallNeed::Request);
        named.is_ok_and(|need| self.holds(since, &need))
            || (!needs.is_empty() && needs.iter().all(|need| self.holds(since, need)))
    }

    fn is_leased(&self, need: &CallNeed) -> bool {
        self.holds(&self.state.authority.leases, need)
    }

    fn holds(&self, leases: &GrantLeases, need: &CallNeed) -> bool {
        let now = self.state.now.value();
        let active = |lease: &&GrantLease| lease.active_at(now);
        leases.iter().filter(active).any(|lease| match need {
            CallNeed::Request(request) => lease.grant.admits(request),
            CallNeed::Grant(grant) => lease.grant.contains(grant),
        })
    }

    /// The grants that a child can get. A lease with an end is not passed on: the
    /// child might outlive it.
    pub(super) fn lasting_grants(&self) -> GrantSet {
        let leases = self.state.authority.leases.iter().filter(|lease| lease.until.is_none());
        let lasting = leases.map(|lease| &lease.grant);
        self.state.authority.policy.grants.iter().chain(lasting).cloned().collect()
    }

    /// What a call of a tool of this level may use without naming it: where it runs programs, what
    /// the run was granted. Once something has entered that makes sending a question, a host has to
    /// be named, so that it is asked.
    pub(super) fn standing_grants(&mut self, level: Option<Level>) -> Arc<GrantSet> {
        if level != Some(Level::Execute) {
            return Arc::clone(&self.standing.nothing);
        }
        let epoch = self.state.authority.epoch;
        if let Some(kept) = &self.standing.kept
            && kept.epoch == epoch
        {
            return Arc::clone(&kept.grants);
        }
        let grants = Arc::new(self.free_grants());
        self.standing.kept = Some(EpochGrants { epoch, grants: Arc::clone(&grants) });
        grants
    }

    /// The lasting grants that no denial hits and that no mark makes a question. They depend on
    /// grants, denials, leases, marks and the mark rule, each of which changes the
    /// epoch of the authority.
    fn free_grants(&self) -> GrantSet {
        let asks_about_sending = self.marks_apply(Level::Execute);
        let policy = &self.state.authority.policy;
        let is_free = |grant: &&Grant| {
            let is_asked = asks_about_sending && matches!(grant.kind(), GrantKind::Fetch | GrantKind::Secret);
            let need = CallNeed::Grant((*grant).clone());
            !is_asked && !matches!(policy.decide_need(&need), PolicyDecision::Denied(_))
        };
        self.lasting_grants().iter().filter(is_free).cloned().collect()
    }

    /// Keeps what a person gave with an answer.
    pub(super) fn lease(&mut self, grants: &GrantSet, until: Option<Timestamp>, knowledge: GrantorKnowledge) {
        let authority = &mut self.state.authority;
        for grant in grants.iter().cloned() {
            let lease = GrantLease { grant, until: until.map(Timestamp::value) };
            authority.leases.give(lease.clone());
            match knowledge {
                GrantorKnowledge::Current => authority.given_since.give(lease),
                GrantorKnowledge::Outdated => authority.given_since.end(&lease.grant),
            }
        }
        authority.epoch += 1;
        self.emit(crate::Event::GrantsChanged);
    }

    /// Removes leases that have ended; their permissions are checked again.
    pub(super) fn expire_leases(&mut self) {
        let now = self.state.now.value();
        let authority = &mut self.state.authority;
        if authority.leases.iter().all(|lease| lease.active_at(now)) {
            return;
        }
        authority.leases.expire(now);
        authority.given_since.expire(now);
        authority.epoch += 1;
    }

    /// Withdraws all leases; permissions are checked again.
    pub(super) fn withdraw_leases(&mut self) {
        let authority = &mut self.state.authority;
        authority.leases = GrantLeases::default();
        authority.given_since = GrantLeases::default();
        authority.epoch += 1;
    }
}

fn sends_out(need: &CallNeed) -> bool {
    matches!(kind_of(need), GrantKind::Fetch | GrantKind::Secret)
}

/// Whether a need names what a call changes. A write whose needs only name what it reads is not
/// covered by a grant.
fn names_a_change(need: &CallNeed) -> bool {
    match kind_of(need) {
        GrantKind::Write
        | GrantKind::Fetch
        | GrantKind::Exec
        | GrantKind::Secret
        | GrantKind::Spawn
        | GrantKind::Tool => true,
        GrantKind::Read | GrantKind::Env => false,
    }
}

pub(super) fn kind_of(need: &CallNeed) -> GrantKind {
    match need {
        CallNeed::Request(request) => request.kind(),
        CallNeed::Grant(grant) => grant.kind(),
    }
}

/// The denial for a model if no user can be asked.
fn denial(tool: &ToolSpec, missing: &[String]) -> String {
    let why = match missing {
        [] => alloc::format!("`{}` needs an approval", tool.name),
        [one] => alloc::format!("{one} was not granted"),
        several => alloc::format!("{} were not granted", several.join(", ")),
    };
    alloc::format!("denied for this run: {why}, and no user can be asked. Do not try again.")
}

/// The arguments as texts. A value that is not a string is given as JSON, so that no
/// present argument looks absent.
struct ArgumentTexts<'a> {
    arguments: &'a Json,
    others: alloc::collections::BTreeMap<&'a str, Vec<String>>,
}

impl<'a> ArgumentTexts<'a> {
    fn of(arguments: &'a Json) -> Self {
        let mut others = alloc::collections::BTreeMap::new();
        for (name, value) in arguments.as_object().into_iter().flatten() {
            let items = match value {
                Json::String(_) | Json::Null => continue,
                Json::Array(items) => items.as_slice(),
                other => core::slice::from_ref(other),
            };
            let texts = items.iter().map(|item| item.as_str().map_or_else(|| item.canonical(), String::from));
            others.insert(name.as_str(), texts.collect());
        }
        Self { arguments, others }
    }

    fn of_argument(&self, name: &str) -> Vec<&str> {
        match self.arguments.get(name).and_then(Json::as_str) {
            Some(text) => alloc::vec![text],
            None => self.others.get(name).into_iter().flatten().map(String::as_str).collect(),
        }
    }
}
