//! Runs an agent as the child of another run. The parent determines its permissions, its journals
//! and its approver; the rest is the agent's own.

use std::sync::Arc;

use holm_kernel::{Approvals, Config, Started};

use super::{Agent, Session, name};
use crate::{
    Child, DriveError, Driver, Hooks, Host, Journal, Nobody, check_run_name,
    driver::{Changed, Folded, Looks},
    host::{HookWants, Parts},
};

impl Agent {
    /// Starts a child within the limits of its parent.
    pub(crate) async fn start_child(
        &self,
        run: &str,
        child: &Child,
        journal: Box<dyn Journal>,
    ) -> Result<Session, DriveError> {
        check_run_name(run)?;
        let parts = self.child_parts(child);
        let config = self.child_config(child, &parts);
        let seed = self.inner.seed.unwrap_or_else(name::new_seed);
        let started = Started::new(run, seed, config);
        Ok(Session::new(Driver::start_checked(started, Host { parts, journal }).await?))
    }

    /// Resumes a child with the restrictions that it was started with.
    pub(crate) async fn resume_child(&self, run: &str, child: &Child) -> Result<Session, DriveError> {
        check_run_name(run)?;
        crate::driver::released(run).await;
        let opened = child.journals.open(run).await?;
        let (folded, journal) = Folded::open(&*child.journals, run, opened).await?;
        folded.check_name(run)?;
        let host = Host { parts: self.child_parts(child), journal };
        let looks = Looks::on(&folded.run, &host.parts.hooks);
        let changed = Changed { tools: self.inner.config.tools.clone(), facts: Vec::new(), looks };
        Ok(Session::new(Driver::take_over(folded, self.by(), host, changed).await?))
    }

    fn child_config(&self, child: &Child, parts: &Parts) -> Config {
        let mut config = self.inner.config.clone();
        child.request.confine(&mut config);
        config.consult.extend(parts.hooks.points());
        // Hooks see every call, also if no person is asked: see `child_parts`.
        if !parts.hooks.before_call.is_empty() {
            config.approvals = Approvals::AskAlways;
        }
        config
    }

    /// Its own host, with the parts that come from the parent: journal store,
    /// approver and inherited hooks.
    fn child_parts(&self, child: &Child) -> Parts {
        let mut parts = self.inner.host.clone();
        // A configuration that asks people about everything still does so with the parent's hooks.
        let own_asks =
            parts.hooks.before_call.is_empty() && self.inner.config.approvals == Approvals::AskAlways;
        if own_asks || child.hook_wants == HookWants::PeopleToo {
            parts.hook_wants = HookWants::PeopleToo;
        }
        let own = Hooks::clone(&parts.hooks);
        parts.hooks = Arc::new(child.hooks.clone().with(own));
        parts.journals = Arc::clone(&child.journals);
        let own = child.approver.of_helper(&child.request.tool);
        parts.approver = own.unwrap_or_else(|| Arc::clone(&child.approver));
        let approvals = self.inner.config.approvals.stricter(child.request.approvals);
        if approvals == Approvals::Deny && !parts.hooks.before_call.is_empty() {
            parts.approver = Arc::new(Nobody);
        }
        parts
    }
}
