//! Budget shares of children: reserved from the parent's remaining budget when a child is
//! requested, and returned when its bill arrives.
//!
//! Money and tokens work alike, so parallel children never use more than their parent had. This
//! file also answers whether the budget or the token limit is reached. A share must be reserved
//! before its effect is issued: two children could otherwise get the same money.
//!
//! `run/call.rs` reserves and releases the share of a child's call, `run/background.rs` asks whether
//! a share leaves enough for the run itself, and `run/stop.rs` stops the children that still hold
//! shares when a group ends. Payments for model calls and late bills are in `run/billing.rs`, and
//! other limits in `run/turn.rs`. How shares are counted is a decision rule: a change needs a new
//! [`SEMANTICS`](crate::SEMANTICS) (`config/mod.rs`).

use super::Run;
use crate::{ChildResult, Ending, Limit, NanoUsd};

/// The reservation for one child.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BudgetShare {
    pub(super) money: NanoUsd,
    /// `None` if tokens are not limited. The first rules reserved no tokens.
    pub(super) tokens: Option<u64>,
}

/// The share that a helper requests; zero means all that is left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ShareRequest {
    pub(super) money: NanoUsd,
    pub(super) tokens: u64,
}

impl Run {
    /// Reserves a child's share; without a limit there is nothing to reserve.
    pub(super) fn set_aside(&mut self, wanted: ShareRequest) -> Result<BudgetShare, &'static str> {
        let money = match self.money_left() {
            None => wanted.money,
            Some(NanoUsd::ZERO) => return Err("not run: the budget has nothing left for another agent"),
            Some(left) if wanted.money == NanoUsd::ZERO => left,
            Some(left) => wanted.money.min(left),
        };
        let share = BudgetShare { money, tokens: self.tokens_for(wanted.tokens)? };
        self.hold(share);
        Ok(share)
    }

    /// Adds a share to the reservations.
    pub(super) fn hold(&mut self, share: BudgetShare) {
        self.state.reserved = self.state.reserved.plus(share.money);
        self.state.reserved_tokens =
            self.state.reserved_tokens.saturating_add(share.tokens.unwrap_or_default());
    }

    /// Whether money or tokens are limited; then the run makes one model call at a time.
    pub(super) fn has_limit(&self) -> bool {
        self.state.budget.usd.is_some() || self.config().limits.tokens.limit().is_some()
    }

    fn tokens_for(&self, wanted: u64) -> Result<Option<u64>, &'static str> {
        match self.tokens_left() {
            None => Ok((wanted > 0).then_some(wanted)),
            Some(0) => Err("not run: the token limit has nothing left for another agent"),
            Some(left) if wanted == 0 => Ok(Some(left)),
            Some(left) => Ok(Some(wanted.min(left))),
        }
    }

    /// Whether a child may work in the background: a child that took all that is left would
    /// stop the run itself.
    pub(super) fn leaves_room(&self, wanted: ShareRequest) -> Result<(), &'static str> {
        if self.money_left().is_some_and(|left| wanted.money == NanoUsd::ZERO || wanted.money >= left) {
            return Err("not run: the budget is too small to run it in the background; call it without \
                `background`");
        }
        if self.tokens_left().is_some_and(|left| wanted.tokens == 0 || wanted.tokens >= left) {
            return Err("not run: the token limit is too small to run it in the background; call it \
                without `background`");
        }
        Ok(())
    }

    fn money_left(&self) -> Option<NanoUsd> {
        Some(self.state.budget.usd?.minus(self.state.spent).minus(self.state.reserved))
    }

    /// The tokens that are neither used nor reserved; `None` if tokens are not limited.
    pub(super) fn tokens_left(&self) -> Option<u64> {
        let used = self.state.usage.total().saturating_add(self.state.reserved_tokens);
        Some(self.config().limits.tokens.limit()?.saturating_sub(used))
    }

    /// Books a child's usage and releases its share.
    pub(super) fn settle_child(&mut self, share: BudgetShare, result: &ChildResult) {
        self.release(share);
        self.state.spent = self.state.spent.plus(result.spent);
        self.state.usage = self.state.usage.plus(result.usage);
        self.mark(result.marks);
    }

    /// Releases the reservation of a child.
    pub(super) fn release(&mut self, share: BudgetShare) {
        self.state.reserved = self.state.reserved.minus(share.money);
        self.state.reserved_tokens =
            self.state.reserved_tokens.saturating_sub(share.tokens.unwrap_or_default());
    }

    pub(super) fn tokens_reached(&self) -> Option<Ending> {
        let allowed = self.config().limits.tokens.limit()?;
        let used = self.state.usage.total();
        (self.tokens_left() == Some(0)).then_some(Ending::OverLimit { limit: Limit::Tokens, used, allowed })
    }

    pub(super) fn budget_reached(&self) -> Option<Ending> {
        let limit = self.state.budget.usd?;
        let spent = self.state.spent;
        (self.money_left() == Some(NanoUsd::ZERO)).then_some(Ending::OverBudget { spent, limit })
    }

    /// Whether the whole budget is spent and nothing could be released: then no call starts.
    pub(super) fn is_budget_spent(&self) -> bool {
        self.state.budget.usd.is_some_and(|limit| self.state.spent >= limit)
    }

    /// Whether the run could continue with what its children may return: only their
    /// shares exhaust this limit.
    pub(super) fn awaits_shares(&self, ending: &Ending) -> bool {
        let is_short = match ending {
            Ending::OverBudget { spent, limit } => spent < limit,
            Ending::OverLimit { limit: Limit::Tokens, used, allowed } => used < allowed,
            Ending::OverLimit { .. }
            | Ending::Answered { .. }
            | Ending::Refused { .. }
            | Ending::Rejected { .. }
            | Ending::Looping { .. }
            | Ending::Cancelled { .. }
            | Ending::Failed { .. } => false,
        };
        is_short && (!self.state.background.is_empty() || self.bills_due().is_some())
    }
}
