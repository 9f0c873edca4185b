//! Who may do what: plain lists, looked through each time. Nothing is remembered of what was decided before.

use std::collections::BTreeMap;
use std::sync::Arc;

use holm_grants::{AccessRequest, CallNeed, Grant, GrantKind, GrantSet, Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{Approvals, AskReason, Config, MarkRule, Marks, Timestamp, ToolKind, ToolSpec};

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
    pub(super) tools: Vec<Arc<ToolSpec>>,
}

#[derive(Debug)]
struct Given {
    grant: Grant,
    until: Option<Timestamp>,
    /// What the question showed of what has entered the run: whoever gave it knew of this and of nothing more.
    knew: Marks,
}

/// What a question shows beside the call.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) reasons: Vec<AskReason>,
    missing: Vec<CallNeed>,
    /// What a child would hold.
    holds: GrantSet,
    pub(super) marks: Marks,
    /// How often something had been taken away.
    pub(super) withdrawn: u64,
}

impl Shown {
    /// Whether an answer to this question counts under other circumstances: none of them may have grown.
    pub(super) fn answers(&self, now: &Self) -> bool {
        let is_about_marks = now
            .reasons
            .iter()
            .any(|reason| matches!(reason, AskReason::EgressAfterMark | AskReason::WriteAfterMark));
        let adds_reason = now
            .reasons
            .iter()
            .any(|reason| *reason != AskReason::HookWants && !self.reasons.contains(reason));
        let misses_more = now.missing.iter().any(|need| !self.missing.contains(need));
        let holds_more = !self.holds.contains_all(&now.holds);
        let entered_more = is_about_marks && self.marks != now.marks;
        let taken_away = self.withdrawn != now.withdrawn;
        !(adds_reason || misses_more || holds_more || entered_more || taken_away)
    }

    /// The answer itself gave what a child holds now.
    pub(super) fn gave(&mut self, before: &GrantSet, after: GrantSet) {
        if self.holds.contains_all(before) {
            self.holds = after;
        }
    }
}

/// What the rules say of a call.
#[derive(Debug)]
pub(super) enum Word {
    Deny,
    Ask(Shown),
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

    pub(super) fn tool(&self, name: &str) -> Option<&Arc<ToolSpec>> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Something enters the run.
    pub(super) fn mark(&mut self, marks: Marks) {
        self.marks = Marks {
            untrusted: self.marks.untrusted || marks.untrusted,
            private: self.marks.private || marks.private,
        };
    }

    /// A person gives something in answer to a question; the newest end of the same grant counts. If something was taken
    /// away since the question was shown, it counts for nothing.
    pub(super) fn give(&mut self, grants: &GrantSet, until: Option<Timestamp>, shown: &Shown) {
        if shown.withdrawn != self.withdrawn {
            return;
        }
        for grant in grants.iter() {
            self.given.retain(|given| given.grant != *grant);
            self.given.push(Given { grant: grant.clone(), until, knew: shown.marks });
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

    /// What the child of a tool would hold; nothing where it is no child.
    pub(super) fn share(&self, tool: &ToolSpec) -> GrantSet {
        match &tool.kind {
            ToolKind::Agent { grants, .. } => self.lasting().meet(grants),
            ToolKind::Host | ToolKind::Skill { .. } | ToolKind::Plan(_) | ToolKind::Children => {
                GrantSet::default()
            }
        }
    }

    pub(super) fn decide(
        &self,
        config: &Config,
        tool: &ToolSpec,
        needs: &[CallNeed],
        now: Timestamp,
    ) -> Word {
        let changes = tool.level >= Level::Write;
        if self.mode == Mode::Plan && changes {
            return Word::Deny;
        }
        let denied = |need: &CallNeed| match need {
            CallNeed::Request(request) => {
                let from_root = config.workspace.as_ref().and_then(|place| request.spelled_from_root(place));
                config.denials.hitting(request).is_some()
                    || from_root.is_some_and(|request| config.denials.hitting(&request).is_some())
            }
            CallNeed::Grant(grant) => config.denials.covering(grant).is_some(),
        };
        let by_name = AccessRequest::new(GrantKind::Tool, &tool.name).ok();
        if by_name.is_some_and(|name| config.denials.hitting(&name).is_some()) || needs.iter().any(denied) {
            return Word::Deny;
        }
        let reasons = self.reasons(config, tool, needs, now);
        match (reasons.is_empty(), config.approvals) {
            (true, _) => Word::Allow,
            (false, Approvals::Deny) => Word::Deny,
            (false, Approvals::Ask | Approvals::AskAlways) => Word::Ask(Shown {
                reasons,
                missing: needs.iter().filter(|need| !self.has(need, now)).cloned().collect(),
                holds: self.share(tool),
                marks: self.marks,
                withdrawn: self.withdrawn,
            }),
        }
    }

    fn has(&self, need: &CallNeed, now: Timestamp) -> bool {
        self.is_granted(need) || self.is_given(need, now, |_| true)
    }

    fn reasons(
        &self,
        config: &Config,
        tool: &ToolSpec,
        needs: &[CallNeed],
        now: Timestamp,
    ) -> Vec<AskReason> {
        let by_name = AccessRequest::new(GrantKind::Tool, &tool.name).ok().map(CallNeed::Request);
        let has = |need: &CallNeed| self.has(need, now);
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
        let knowing = |need: &CallNeed| self.is_given(need, now, |given| given.knew == self.marks);
        let given = by_name.as_ref().is_some_and(knowing) || (!needs.is_empty() && needs.iter().all(knowing));
        if self.marks_matter(config.mark_rule, tool.level) && !given {
            let kinds = || needs.iter().map(kind_of);
            if tool.yields.egress || kinds().any(|kind| matches!(kind, GrantKind::Fetch | GrantKind::Secret))
            {
                reasons.push(AskReason::EgressAfterMark);
            }
            if tool.level >= Level::Write
                && kinds().all(|kind| matches!(kind, GrantKind::Read | GrantKind::Env))
            {
                reasons.push(AskReason::WriteAfterMark);
            }
        }
        if reasons.is_empty() && config.approvals == Approvals::AskAlways {
            reasons.push(AskReason::HookWants);
        }
        reasons
    }

    fn marks_matter(&self, rule: MarkRule, level: Level) -> bool {
        match rule {
            MarkRule::AskAfterAny => self.marks.untrusted || self.marks.private,
            MarkRule::AskAfterBoth => match level {
                Level::None | Level::ReadOnly => self.marks.untrusted && self.marks.private,
                Level::Write | Level::Execute => self.marks.untrusted || self.marks.private,
            },
            MarkRule::ShowOnly => false,
        }
    }

    fn is_granted(&self, need: &CallNeed) -> bool {
        match need {
            CallNeed::Request(request) => self.grants.admits(request),
            CallNeed::Grant(grant) => self.grants.contains(grant),
        }
    }

    fn is_given(&self, need: &CallNeed, now: Timestamp, counts: impl Fn(&Given) -> bool) -> bool {
        let holds = |given: &Given| given.until.is_none_or(|until| now < until);
        self.given.iter().filter(|given| holds(given) && counts(given)).any(|given| match need {
            CallNeed::Request(request) => given.grant.admits(request),
            CallNeed::Grant(grant) => given.grant.contains(grant),
        })
    }
}

fn kind_of(need: &CallNeed) -> GrantKind {
    match need {
        CallNeed::Request(request) => request.kind(),
        CallNeed::Grant(grant) => grant.kind(),
    }
}

/// What a call needs; none where its arguments do not say it. A path in the workspace is meant, however it is spelled.
pub(super) fn needs_of(config: &Config, tool: &ToolSpec, arguments: &str) -> Option<Vec<CallNeed>> {
    let arguments = Json::parse(arguments).unwrap_or(Json::Null);
    let mut texts = BTreeMap::new();
    for (name, value) in arguments.as_object().into_iter().flatten() {
        texts.insert(name.as_str(), texts_of(value));
    }
    let mut needs = Vec::new();
    for template in &tool.needs {
        let found = template
            .needs(|name| texts.get(name).into_iter().flatten().map(String::as_str).collect::<Vec<&str>>());
        needs.extend(found.ok()?.into_iter().map(|need| match (need, &config.workspace) {
            (CallNeed::Request(request), Some(workspace)) => CallNeed::Request(request.rebased(workspace)),
            (need, _) => need,
        }));
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
