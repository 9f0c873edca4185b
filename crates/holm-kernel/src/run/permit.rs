//! Decides whether a call may run: deny, ask or allow. One evaluator for every host.
//!
//! Authority is a value: the grants of the run, what people gave in mid-run, the mode, and the marks of what has
//! entered. Deny is final; nothing here looks at the world.

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use holm_grants::{Decision as Standing, GrantSet, Kind, Lease, Level, Need, Request, Stance};
use holm_guards::json::Json;

use super::Run;
use crate::{Approvals, AskReason, MarkRule, Timestamp, Tool};

/// What the rules say of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    Deny(String),
    Ask { reasons: Vec<AskReason>, missing: Vec<String> },
    Allow,
}

impl Run {
    /// What a call needs, from the tool's templates and the call's arguments.
    pub(super) fn needs(&self, tool: &Tool, arguments: &Json) -> Result<Arc<[Need]>, String> {
        if tool.needs.is_empty() {
            return Ok(Arc::default());
        }
        let texts = Texts::of(arguments);
        let mut needs = Vec::new();
        for template in &tool.needs {
            let found = template.needs(|name| texts.of_argument(name));
            needs.extend(found.map_err(|error| alloc::format!("not run: {error}"))?);
        }
        Ok(needs.into())
    }

    pub(super) fn decide(&self, tool: &Tool, needs: &[Need]) -> Decision {
        let stance = self.state.mode.stance(tool.level);
        if stance == Stance::Deny {
            return Decision::Deny(alloc::format!(
                "denied: `{}` changes things, and {} mode only looks; leave that mode first",
                tool.name,
                self.state.mode
            ));
        }
        let mut missing = Vec::new();
        for need in needs {
            match self.state.authority.policy.decide_need(need) {
                Standing::Denied(denial) => {
                    return Decision::Deny(alloc::format!("denied: `{need}` is on the deny list (`{denial}`)"));
                }
                Standing::Granted(_) => {}
                Standing::Missing if self.is_leased(need) => {}
                Standing::Missing => missing.push(need.to_string()),
            }
        }
        let reasons = self.reasons_to_ask(tool, needs, stance, &missing);
        if reasons.is_empty() {
            return Decision::Allow;
        }
        if self.config().approvals == Approvals::Deny {
            return Decision::Deny(denial(tool, &missing));
        }
        Decision::Ask { reasons, missing }
    }

    fn reasons_to_ask(&self, tool: &Tool, needs: &[Need], stance: Stance, missing: &[String]) -> Vec<AskReason> {
        let mut reasons = Vec::new();
        if !missing.is_empty() {
            reasons.push(AskReason::MissingGrant);
        }
        if stance == Stance::Ask && !self.is_tool_granted(tool) {
            reasons.push(AskReason::Level);
        }
        if self.marks_apply() && !self.is_given_since(tool, needs) {
            let egress = tool.yields.egress || needs.iter().any(sends_out);
            if egress {
                reasons.push(AskReason::EgressAfterMark);
            }
            if tool.level >= Level::Write && needs.is_empty() {
                reasons.push(AskReason::WriteAfterMark);
            }
        }
        if reasons.is_empty() && self.config().approvals == Approvals::AskAlways {
            reasons.push(AskReason::HookWants);
        }
        reasons
    }

    fn marks_apply(&self) -> bool {
        let marks = self.state.marks;
        match self.config().mark_rule {
            MarkRule::AskAfterAny => marks.any(),
            MarkRule::AskAfterBoth => marks.untrusted && marks.private,
            MarkRule::ShowOnly => false,
        }
    }

    /// Whether somebody granted the tool by name, which answers what the mode would ask.
    fn is_tool_granted(&self, tool: &Tool) -> bool {
        let Ok(named) = Request::new(Kind::Tool, &tool.name) else { return false };
        self.state.authority.policy.grants.admits(&named) || self.is_leased(&Need::Request(named))
    }

    /// Whether people gave, in this run, all that the call needs: by name of the tool, or need by need.
    fn is_given_since(&self, tool: &Tool, needs: &[Need]) -> bool {
        let named = Request::new(Kind::Tool, &tool.name).map(Need::Request);
        named.is_ok_and(|need| self.is_leased(&need))
            || (!needs.is_empty() && needs.iter().all(|need| self.is_leased(need)))
    }

    fn is_leased(&self, need: &Need) -> bool {
        let now = self.state.now.value();
        self.state.authority.leases.iter().filter(|lease| lease.active_at(now)).any(|lease| match need {
            Need::Request(request) => lease.grant.admits(request),
            Need::Grant(grant) => lease.grant.contains(grant),
        })
    }

    /// Everything the run holds now; what a child's share is cut from.
    pub(super) fn held_grants(&self) -> GrantSet {
        let leased = self.state.authority.leases.active_at(self.state.now.value());
        self.state.authority.policy.grants.iter().chain(leased.iter()).cloned().collect()
    }

    /// Keeps what a person gave with an answer.
    pub(super) fn lease(&mut self, grants: &GrantSet, until: Option<Timestamp>) {
        let now = self.state.now.value();
        self.state.authority.leases.expire(now);
        if grants.is_empty() {
            return;
        }
        for grant in grants.iter().cloned() {
            self.state.authority.leases.give(Lease { grant, until: until.map(Timestamp::value) });
        }
        self.state.authority.epoch += 1;
        self.emit(crate::Event::GrantsChanged);
    }
}

fn sends_out(need: &Need) -> bool {
    let kind = match need {
        Need::Request(request) => request.kind(),
        Need::Grant(grant) => grant.kind(),
    };
    kind == Kind::Fetch
}

fn denial(tool: &Tool, missing: &[String]) -> String {
    if missing.is_empty() {
        return alloc::format!("denied: `{}` would have to be asked about, and nobody is there", tool.name);
    }
    alloc::format!("denied: `{}` needs {}, which was not granted", tool.name, missing.join(", "))
}

/// The arguments as texts: what is no string is given as its JSON, so that nothing present looks absent.
struct Texts<'a> {
    arguments: &'a Json,
    others: alloc::collections::BTreeMap<&'a str, Vec<String>>,
}

impl<'a> Texts<'a> {
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
