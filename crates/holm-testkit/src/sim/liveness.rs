//! Liveness: the world begins to behave, and the run must come to its end.
//!
//! For safety a script is played as it stands, and a run may well wait for ever for somebody who says nothing. For liveness nothing
//! goes wrong any more once the script has used up what goes wrong: whoever was silent answers, tools give back what they did, and
//! no host dies. What models reply stays hostile: the kernel's limits have to end that.

use holm_kernel::{Input, Verdict};

use super::{Coming, Sim};

/// When the world begins to behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Calm {
    /// Never: the script is played for safety.
    Never,
    /// Once the script has nothing more that goes wrong.
    Awaited,
    /// Since this record.
    Since(u64),
}

impl Calm {
    pub(super) const fn since(self) -> Option<u64> {
        match self {
            Self::Since(seq) => Some(seq),
            Self::Never | Self::Awaited => None,
        }
    }
}

/// Whoever was silent answers within so many milliseconds.
const SOON: u64 = 400;

impl Sim {
    /// Plays for liveness: after the last fault and the last interruption of the script the world behaves.
    /// [`check::comes_to_rest`](crate::check::comes_to_rest) says whether the run did its part.
    ///
    /// ```
    /// use holm_kernel::{Config, ModelSpec, ToolSpec};
    /// use holm_guards::json::Json;
    /// use holm_testkit::{Line, Rest, Ruling, Script, Sim, check};
    ///
    /// let mut config = Config::new(ModelSpec::named("scripted/one"));
    /// config.tools = vec![ToolSpec::new("pay", "Pays.", Json::object::<String>([]))];
    /// let script = Script {
    ///     model: vec![Line::calls("pay", "{}")],
    ///     people: vec![Ruling::Silent],
    ///     ..Script::prompted("Pay the bill.")
    /// };
    /// let waits = Sim::new(config.clone(), script.clone(), 7).run();
    /// assert_eq!(waits.rest, Rest::AwaitsPerson);
    /// let ends = Sim::new(config, script, 7).lively().run();
    /// assert_eq!(ends.rest, Rest::Idle);
    /// assert_eq!(check::comes_to_rest(&ends), []);
    /// ```
    #[must_use]
    pub fn lively(mut self) -> Self {
        self.calm = Calm::Awaited;
        self
    }

    /// The world begins to behave as soon as the script allows it.
    pub(super) fn calm_down_if_spent(&mut self) {
        // What was said last may be a jump of the clock, which is heard first; the last fault may wait for an answer to befall.
        let busy = self.dying || self.mishap.is_some() || !self.said.is_empty();
        if self.calm == Calm::Awaited && !busy && self.supply.is_spent(self.run.receipt().seq.value() + 1) {
            self.calm_down();
        }
    }

    /// From now on nothing goes wrong, and whoever was asked in vain says yes.
    pub(super) fn calm_down(&mut self) {
        self.calm = Calm::Since(self.run.receipt().seq.value());
        self.supply.calm_down();
        self.mishap = None;
        self.swaps = None;
        for (call, about) in std::mem::take(&mut self.in_vain) {
            let delay = self.draw(SOON);
            let fact = Input::Judged { call, verdict: Verdict::allow() };
            self.expect(delay, Coming::Fact(fact, Some(about)));
        }
    }
}
