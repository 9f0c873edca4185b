//! Approvers: they answer questions about calls before the calls run.
//!
//! Here are the trait and the two answers that need no person; the terminal's approver is in
//! `holm-cli/src/approve.rs`. Whether to ask is decided in `holm-kernel/src/run/permit.rs`, and the
//! driver asks in `driver/hooks.rs`. An approver can narrow what a call may do and never widen it.
//! If no approver is present, the answer is no.

use std::sync::Arc;

use holm_kernel::{Proposal, Verdict};

use crate::BoxFuture;

/// Rules on proposed calls. It only gets calls that the kernel would allow or ask about, and can
/// narrow what they may do but never widen it.
///
/// A plain function is an approver:
///
/// ```
/// use holm_grants::Level;
/// use holm_kernel::{Proposal, Verdict};
/// use holm_runtime::RunHost;
/// # use holm_runtime::{model_fn, BoxFuture};
/// # use std::sync::Arc;
/// # let model = Arc::new(model_fn(|_| -> BoxFuture<'static, holm_kernel::ModelResult> { unreachable!() }));
///
/// let readers_only = |proposal: &Proposal| match proposal.level {
///     Level::None | Level::ReadOnly => Verdict::allow(),
///     Level::Write | Level::Execute => Verdict::deny("this host only reads"),
/// };
/// let _host = RunHost::new(model).approver(readers_only);
/// ```
pub trait Approver: Send + Sync {
    /// Rules on one call. The run keeps taking inputs meanwhile, so this may take as long
    /// as a person needs.
    fn judge(&self, proposal: Proposal) -> BoxFuture<'static, Verdict>;

    /// The approver for the calls of a helper with this name; asked once per child, before it
    /// does anything. By default this approver answers for the helper too, without knowing
    /// whose calls they are.
    fn of_helper(&self, _helper: &str) -> Option<Arc<dyn Approver>> {
        None
    }
}

impl<F: Fn(&Proposal) -> Verdict + Send + Sync> Approver for F {
    fn judge(&self, proposal: Proposal) -> BoxFuture<'static, Verdict> {
        let verdict = self(&proposal);
        Box::pin(async { verdict })
    }
}

/// Denies everything that it is asked about, because no person is there.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAllApprover;

impl Approver for DenyAllApprover {
    fn judge(&self, _: Proposal) -> BoxFuture<'static, Verdict> {
        Box::pin(async { Verdict::deny("no user is present to be asked") })
    }
}

/// Leaves every question open until a holder of a handle answers
/// it with [`RunHandle::judge`](crate::RunHandle::judge).
#[derive(Debug, Clone, Copy, Default)]
pub struct HandleApprover;

impl Approver for HandleApprover {
    fn judge(&self, _: Proposal) -> BoxFuture<'static, Verdict> {
        Box::pin(std::future::pending())
    }
}
