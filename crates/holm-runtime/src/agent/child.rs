//! Runs an agent as the child of another run. The parent determines its permissions, its journals
//! and its approver; the rest is the agent's own.
//!
//! A child never holds more than its parent: its configuration goes through `SpawnRequest::confine`
//! of the kernel, and nothing here may widen it afterwards. The work around a child (slots,
//! folders, results, crashes) is in `child/child_execution.rs`.

use std::sync::Arc;

use holm_kernel::{Approvals, Config, Started};

use super::{Agent, Session, name};
use crate::{
    ChildLaunch, DenyAllApprover, DriveError, Driver, HookSet, Journal, RunHost, check_run_name,
    driver::{HookTiming, RestoredRun, TakeoverChanges},
    host::{HookReviewers, HostParts},
};

impl Agent {
    /// Starts a child within the limits of its parent.
    pub(crate) async fn start_child(
        &self,
        run: &str,
        child: &ChildLaunch,
        journal: Box<dyn Journal>,
    ) -> Result<Session, DriveError> {
        check_run_name(run)?;
        let parts = self.child_parts(child);
        let config = self.child_config(child, &parts);
        let seed = self.inner.seed.unwrap_or_else(name::new_seed);
        let started = Started::new(run, seed, config);
        Ok(Session::new(Driver::start_checked(started, RunHost { parts, journal }).await?))
    }

    /// Resumes a child with the restrictions that it was started with.
    pub(crate) async fn resume_child(&self, run: &str, child: &ChildLaunch) -> Result<Session, DriveError> {
        check_run_name(run)?;
        crate::driver::released(run).await;
        let opened = child.journals.open(run).await?;
        let (folded, journal) = RestoredRun::open(&*child.journals, run, opened).await?;
        folded.check_name(run)?;
        let host = RunHost { parts: self.child_parts(child), journal };
        let looks = HookTiming::on(&folded.run, &host.parts.hooks);
        let changed = TakeoverChanges { tools: self.inner.config.tools.clone(), facts: Vec::new(), looks };
        Ok(Session::new(Driver::take_over(folded, self.by(), host, changed).await?))
    }

    fn child_config(&self, child: &ChildLaunch, parts: &HostParts) -> Config {
        let mut config = self.inner.config.clone();
        child.request.confine(&mut config);
        config.consult.extend(parts.hooks.points());
        // Hooks see every call, also if no person is asked: see `child_parts`.
        if !parts.hooks.before_call.is_empty() {
            config.approvals = Approvals::AskAlways;
        }
        if let Some(text) = &self.inner.child_prompt {
            let text = text(&config);
            let lead = if config.system.is_empty() { "" } else { "\n\n" };
            config.system = format!("{}{lead}{text}", config.system.trim_end());
        }
        config
    }

    /// Its own host, with the parts that come from the parent: journal store,
    /// approver and inherited hooks.
    fn child_parts(&self, child: &ChildLaunch) -> HostParts {
        let mut parts = self.inner.host.clone();
        // A configuration that asks people about everything still does so with the parent's hooks.
        let own_asks =
            parts.hooks.before_call.is_empty() && self.inner.config.approvals == Approvals::AskAlways;
        if own_asks || child.hook_wants == HookReviewers::PeopleToo {
            parts.hook_wants = HookReviewers::PeopleToo;
        }
        let own = HookSet::clone(&parts.hooks);
        parts.hooks = Arc::new(child.hooks.clone().with(own));
        parts.journals = Arc::clone(&child.journals);
        let own = child.approver.of_helper(&child.request.tool);
        parts.approver = own.unwrap_or_else(|| Arc::clone(&child.approver));
        let approvals = self.inner.config.approvals.stricter(child.request.approvals);
        if approvals == Approvals::Deny && !parts.hooks.before_call.is_empty() {
            parts.approver = Arc::new(DenyAllApprover);
        }
        parts
    }
}
