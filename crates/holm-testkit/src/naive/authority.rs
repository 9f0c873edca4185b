//! Who may do what: plain lists, looked through each time. Nothing is remembered of what was decided before.

use std::collections::BTreeMap;
use std::sync::Arc;

use holm_grants::{Grant, GrantSet, Kind, Level, Mode, Need, Request};
use holm_guards::json::Json;
use holm_kernel::{Approvals, AskReason, Config, MarkRule, Marks, Timestamp, Tool};

/// What the run may do.
#[derive(Debug)]
pub(super) struct Authority {
    pub(super) mode: Mode,
    pub(super) grants: GrantSet,
    /// What people gave with their answers.
    given: Vec<Given>,
    pub(super) marks: Marks,
    /// How often something was taken away: a yes from before that is none.
    pub(super) withdrawn: u64,
    pub(super) tools: Vec<Arc<Tool>>,
}

#[derive(Debug)]
struct Given {
    grant: Grant,
    until: Option<Timestamp>,
    /// Nothing more has entered the run since.
    knowing: bool,
}

/// What the rules say of a call.
#[derive(Debug)]
pub(super) enum Word {
    Deny,
    Ask(Vec<AskReason>),
    Allow,
}

impl Authority {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            mode: config.mode,
            grants: config.grants.clone(),
            given: Vec::new(),
            marks: config.marks,
            withdrawn: 0,
            tools: config.tools.iter().cloned().map(Arc::new).collect(),
        }
    }

    pub(super) fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Something enters the run: what was given before was given without knowing of it.
    pub(super) fn mark(&mut self, marks: Marks) {
        let joined = Marks {
            untrusted: self.marks.untrusted || marks.untrusted,
            private: self.marks.private || marks.private,
        };
        if joined != self.marks {
            self.given.iter_mut().for_each(|given| given.knowing = false);
        }
        self.marks = joined;
    }

    /// A person gives something with an answer; the newest end of the same grant counts.
    pub(super) fn give(&mut self, grants: &GrantSet, until: Option<Timestamp>) {
        for grant in grants.iter() {
            self.given.retain(|given| given.grant != *grant);
            self.given.push(Given { grant: grant.clone(), until, knowing: true });
        }
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        self.withdrawn += u64::from(mode < self.mode);
        self.mode = mode;
        self.given.clear();
    }

    pub(super) fn set_grants(&mut self, grants: GrantSet) {
        self.withdrawn += 1;
        self.grants = grants;
        self.given.clear();
    }

    /// What may be handed on to a child: what ends by itself may not.
    pub(super) fn lasting(&self) -> GrantSet {
        let given = self.given.iter().filter(|given| given.until.is_none()).map(|given| &given.grant);
        self.grants.iter().chain(given).cloned().collect()
    }

    pub(super) fn decide(&self, config: &Config, tool: &Tool, needs: &[Need], now: Timestamp) -> Word {
        let changes = tool.level >= Level::Write;
        if self.mode == Mode::Plan && changes {
            return Word::Deny;
        }
        let denied = |need: &Need| match need {
            Need::Request(request) => config.denials.hitting(request).is_some(),
            Need::Grant(grant) => config.denials.covering(grant).is_some(),
        };
        if needs.iter().any(denied) {
            return Word::Deny;
        }
        let reasons = self.reasons(config, tool, needs, now);
        match (reasons.is_empty(), config.approvals) {
            (true, _) => Word::Allow,
            (false, Approvals::Deny) => Word::Deny,
            (false, Approvals::Ask | Approvals::AskAlways) => Word::Ask(reasons),
        }
    }

    fn reasons(&self, config: &Config, tool: &Tool, needs: &[Need], now: Timestamp) -> Vec<AskReason> {
        let by_name = Request::new(Kind::Tool, &tool.name).ok().map(Need::Request);
        let has = |need: &Need| self.is_granted(need) || self.is_given(need, now, |_| true);
        let mut reasons = Vec::new();
        if !needs.iter().all(has) {
            reasons.push(AskReason::MissingGrant);
        }
        let asks = match self.mode {
            Mode::Full | Mode::Plan => false,
            Mode::AcceptEdits => tool.level >= Level::Execute,
            Mode::Default => tool.level >= Level::Write,
        };
        if asks && !by_name.as_ref().is_some_and(has) {
            reasons.push(AskReason::Level);
        }
        let knowing = |need: &Need| self.is_given(need, now, |given| given.knowing);
        let given = by_name.as_ref().is_some_and(knowing) || (!needs.is_empty() && needs.iter().all(knowing));
        if self.marks_matter(config.mark_rule) && !given {
            let kinds = || needs.iter().map(kind_of);
            if tool.yields.egress || kinds().any(|kind| matches!(kind, Kind::Fetch | Kind::Secret)) {
                reasons.push(AskReason::EgressAfterMark);
            }
            if tool.level >= Level::Write && kinds().all(|kind| matches!(kind, Kind::Read | Kind::Env)) {
                reasons.push(AskReason::WriteAfterMark);
            }
        }
        if reasons.is_empty() && config.approvals == Approvals::AskAlways {
            reasons.push(AskReason::HookWants);
        }
        reasons
    }

    fn marks_matter(&self, rule: MarkRule) -> bool {
        match rule {
            MarkRule::AskAfterAny => self.marks.untrusted || self.marks.private,
            MarkRule::AskAfterBoth => self.marks.untrusted && self.marks.private,
            MarkRule::ShowOnly => false,
        }
    }

    fn is_granted(&self, need: &Need) -> bool {
        match need {
            Need::Request(request) => self.grants.admits(request),
            Need::Grant(grant) => self.grants.contains(grant),
        }
    }

    fn is_given(&self, need: &Need, now: Timestamp, counts: impl Fn(&Given) -> bool) -> bool {
        let holds = |given: &Given| given.until.is_none_or(|until| now < until);
        self.given.iter().filter(|given| holds(given) && counts(given)).any(|given| match need {
            Need::Request(request) => given.grant.admits(request),
            Need::Grant(grant) => given.grant.contains(grant),
        })
    }
}

fn kind_of(need: &Need) -> Kind {
    match need {
        Need::Request(request) => request.kind(),
        Need::Grant(grant) => grant.kind(),
    }
}

/// What a call needs; none where its arguments do not say it.
pub(super) fn needs_of(tool: &Tool, arguments: &str) -> Option<Vec<Need>> {
    let arguments = Json::parse(arguments).unwrap_or(Json::Null);
    let mut texts = BTreeMap::new();
    for (name, value) in arguments.as_object().into_iter().flatten() {
        texts.insert(name.as_str(), texts_of(value));
    }
    let mut needs = Vec::new();
    for template in &tool.needs {
        let found = template
            .needs(|name| texts.get(name).into_iter().flatten().map(String::as_str).collect::<Vec<&str>>());
        needs.extend(found.ok()?);
    }
    Some(needs)
}

fn texts_of(value: &Json) -> Vec<String> {
    let text = |item: &Json| item.as_str().map_or_else(|| item.canonical(), str::to_owned);
    match value {
        Json::Null => Vec::new(),
        Json::Array(items) => items.iter().map(text).collect(),
        other => vec![text(other)],
    }
}
