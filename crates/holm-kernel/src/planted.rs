//! Defects that a test can plant, one at a time, to see whether the simulation finds them.
//!
//! A simulation that finds no defect proves little until it has found a known one. Each defect here
//! is a plausible mistake: a missing guard, a fact believed too late, a sum added twice. The switch
//! exists only with the feature `planted`. Without the feature, [`planted`] is `false` at compile
//! time and the optimiser removes every branch.
//!
//! A defect changes a decision in `run/`, beside the code that it breaks. The simulation that must
//! find each of them is in `holm-testkit/src/sim/`. No defect may be reachable without the feature.

/// The defects that can be planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum PlantedBug {
    /// Work that may have run before a crash runs again, harmless or not.
    RunsAgain = 1,
    /// The dispatch of a call is not recorded.
    DispatchUnheard,
    /// A denied call passes.
    DenialPasses,
    /// A call runs without the grant it needs.
    MissingGrantPasses,
    /// A read-only mode lets writes pass.
    ModeIgnored,
    /// A call that needs approval by the mode runs without it.
    LevelUnasked,
    /// Marks have no effect.
    MarksIgnored,
    /// A lease continues after its end.
    LeaseNeverEnds,
    /// A lease outlives a change of mode.
    LeaseOutlivesMode,
    /// A lease outlives a change of grants.
    LeaseOutlivesGrants,
    /// A verdict counts for a call that no longer waits for it.
    LateVerdictCounts,
    /// An approval counts although authority was withdrawn since.
    ApprovalOutlivesChange,
    /// A permission is not checked again when its turn comes.
    PermissionRemembered,
    /// Results of tools are missing in the transcript.
    HistoryHole,
    /// Steering is thrown away.
    SteeringLost,
    /// A follow-up is thrown away.
    FollowUpLost,
    /// An answer is paid for twice.
    BilledTwice,
    /// The late bill of a call that was given up is not paid.
    LateBillLost,
    /// The share of a child is not reserved.
    ShareUnset,
    /// A spent budget stops nothing.
    BudgetUnseen,
    /// The limit of turns stops nothing.
    TurnsUnseen,
    /// Time follows a clock that was set back.
    ClockRunsBack,
    /// Every seventh call shares its id with the next.
    CallIdReused,
    /// No timer wakes a run that waits to retry.
    TimerForgotten,
    /// A question that was open at a crash is not asked again.
    QuestionForgotten,
    /// A model call that was under way at a crash is not made again.
    ModelForgotten,
    /// A snapshot forgets queued prompts.
    SnapshotForgets,
    /// A child gets the grants it asks for, instead of those its parent holds.
    ChildHoldsMore,
    /// A cancelled run continues.
    CancelUnheard,
    /// The host is not told to stop work that was given up.
    AbortUnsaid,
    /// A failure that should stop the other calls of its reply does not.
    SiblingsGoOn,
    /// A quota stops nothing.
    QuotaUnseen,
    /// A loop of calls is not noticed.
    LoopUnseen,
    /// The text of a failed model call is not withdrawn.
    WithdrawalUnsaid,
    /// The share of a child is never returned.
    ShareKept,
    /// A question stays open although its circumstances have changed.
    QuestionOutlivesChange,
    /// Grants given with an answer also cover marks that the question did not show.
    AnswerKnowsMore,
    /// A call without reported usage costs nothing.
    UsageFree,
    /// All skills of a reply call the model at once, despite a limit.
    SkillsAtOnce,
    /// Host crashes during the same work are not counted.
    CrashesUncounted,
    /// Calls that change something run in parallel with the others of their reply.
    OrderLost,
}

/// Whether a test has planted this defect.
#[cfg(not(feature = "planted"))]
#[inline]
pub(crate) const fn planted(_: PlantedBug) -> bool {
    false
}

#[cfg(feature = "planted")]
pub(crate) use switch::planted;
#[cfg(feature = "planted")]
pub use switch::{NAMES, plant};

#[cfg(feature = "planted")]
mod switch {
    use std::cell::Cell;

    use super::PlantedBug;

    /// Every defect by name, in the order of the list.
    pub const NAMES: [&str; 41] = [
        "runs_again",
        "dispatch_unheard",
        "denial_passes",
        "missing_grant_passes",
        "mode_ignored",
        "level_unasked",
        "marks_ignored",
        "lease_never_ends",
        "lease_outlives_mode",
        "lease_outlives_grants",
        "late_verdict_counts",
        "approval_outlives_change",
        "permission_remembered",
        "history_hole",
        "steering_lost",
        "follow_up_lost",
        "billed_twice",
        "late_bill_lost",
        "share_unset",
        "budget_unseen",
        "turns_unseen",
        "clock_runs_back",
        "call_id_reused",
        "timer_forgotten",
        "question_forgotten",
        "model_forgotten",
        "snapshot_forgets",
        "child_holds_more",
        "cancel_unheard",
        "abort_unsaid",
        "siblings_go_on",
        "quota_unseen",
        "loop_unseen",
        "withdrawal_unsaid",
        "share_kept",
        "question_outlives_change",
        "answer_knows_more",
        "usage_free",
        "skills_at_once",
        "crashes_uncounted",
        "order_lost",
    ];

    const _: () = assert!(NAMES.len() == PlantedBug::OrderLost as usize, "a name for each, in their order");

    std::thread_local! {
        /// Per thread, so that other tests still test the unmodified kernel.
        static PLANTED: Cell<usize> = const { Cell::new(0) };
    }

    /// Plants one defect in this thread and removes all others; the empty name removes all. Returns
    /// false if no defect has this name.
    pub fn plant(name: &str) -> bool {
        let place = NAMES.iter().position(|known| *known == name);
        PLANTED.with(|planted| planted.set(place.map_or(0, |place| place + 1)));
        place.is_some() || name.is_empty()
    }

    /// Whether a test has planted this defect.
    pub(crate) fn planted(bug: PlantedBug) -> bool {
        PLANTED.with(|planted| planted.get() == bug as usize)
    }
}
