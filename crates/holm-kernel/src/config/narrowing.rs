//! Restrictions that a host adds to a run that it takes over.
//!
//! Another host wrote record 0 of such a run. That record is still the run's history, but this host
//! need not accept its settings. Every value here can make a run stricter, and none can make it
//! laxer: a new field must keep that rule, and the test below checks it. `run/changes.rs` applies a
//! narrowing to a run. Changes by a person (mode, grants, budget) are inputs of their own.
//!
//! The configuration itself is in `config/mod.rs`; a run is imported by hosts, for example in
//! `holm-cli/src/commands/session/import.rs`.

use alloc::{collections::BTreeMap, string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{Alias, Config, Limits, MarkRule, Marks, Price, RetryPolicy};

/// Restrictions that a host adds; a field that is `None` leaves the run's own value in place.
///
/// ```
/// use holm_kernel::{Config, MarkRule, ModelSpec, Narrowing};
///
/// let mut config =
///     Config { mark_rule: MarkRule::ShowOnly, ..Config::new(ModelSpec::named("scripted/one")) };
/// let narrowing = Narrowing { mark_rule: Some(MarkRule::AskAfterBoth), ..Narrowing::default() };
/// narrowing.apply(&mut config);
/// assert_eq!(config.mark_rule, MarkRule::AskAfterBoth);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Narrowing {
    /// The rule for marks; the stricter of this one and the run's own applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_rule: Option<MarkRule>,
    /// Marks to set: a run from elsewhere is untrusted content.
    pub marks: Marks,
    /// Limits in addition to the run's own; the budget has an input of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// The upper limits for retries of a failed model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// The aliases that the run may keep; all others are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<Alias>>,
    /// The host's own prices, by the name of the model. The higher price applies. A model without
    /// an entry loses its price, so that no budget covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<BTreeMap<String, Price>>,
    /// Whether the run's workspace is dropped: a foreign one could make relative
    /// grants mean other folders.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub drops_workspace: bool,
}

impl Narrowing {
    /// Narrows a configuration. The marks are not part of it; they are set on the run.
    pub fn apply(&self, config: &mut Config) {
        if let Some(rule) = self.mark_rule {
            config.mark_rule = config.mark_rule.stricter(rule);
        }
        if let Some(limits) = &self.limits {
            narrow_limits(&mut config.limits, limits);
        }
        if let Some(retry) = self.retry {
            narrow_retry(&mut config.retry, retry);
        }
        if let Some(kept) = &self.aliases {
            config.policy.aliases.retain(|alias| kept.contains(alias));
        }
        if let Some(prices) = &self.prices {
            for model in &mut config.models {
                let own = model.price.zip(prices.get(&model.name));
                model.price = own.map(|(price, least)| price.or_higher(*least));
            }
        }
        if self.drops_workspace {
            config.workspace = None;
        }
    }
}

fn narrow_limits(own: &mut Limits, most: &Limits) {
    own.turns = own.turns.at_most(most.turns.limit());
    own.calls_per_turn = own.calls_per_turn.at_most(most.calls_per_turn.limit());
    own.tokens = own.tokens.at_most(most.tokens.limit());
    own.wall_ms = own.wall_ms.at_most(most.wall_ms.limit());
    own.max_tokens.attempts = own.max_tokens.attempts.min(most.max_tokens.attempts);
    // A cap that may not grow is lower than any that may.
    own.max_tokens.ceiling = own.max_tokens.ceiling.min(most.max_tokens.ceiling);
    own.result_chars = own.result_chars.min(most.result_chars);
    own.tool_ms = own.tool_ms.min(most.tool_ms);
    own.depth = own.depth.min(most.depth);
}

fn narrow_retry(own: &mut RetryPolicy, most: RetryPolicy) {
    own.attempts = own.attempts.min(most.attempts);
    own.base_ms = own.base_ms.max(most.base_ms);
    own.cap_ms = own.cap_ms.max(most.base_ms).min(most.cap_ms);
    own.patience_ms = own.patience_ms.min(most.patience_ms);
    own.jitter_milli = own.jitter_milli.min(most.jitter_milli);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bound, MaxTokensRecovery, ModelSpec};

    #[test]
    fn a_price_from_elsewhere_is_no_lower_than_the_hosts_and_a_model_unknown_here_has_none() {
        let (own, free) =
            (Price { input: 3, output: 15, cached: Some(1), cache_write: None }, Price::default());
        let model = |name: &str, price| ModelSpec { price, ..ModelSpec::named(name) };
        let dear = Price { input: 4, output: 9, cached: None, cache_write: Some(2) };
        let mut config = Config::new(model("a/known", Some(free)));
        config.models.extend([
            model("a/dear", Some(dear)),
            model("a/unpriced", None),
            model("b/unknown", Some(free)),
        ]);
        let names = ["a/known", "a/dear", "a/unpriced"];
        let prices = names.into_iter().map(|name| (name.into(), own)).collect();
        Narrowing { prices: Some(prices), ..Narrowing::default() }.apply(&mut config);
        let found: Vec<Option<Price>> = config.models.iter().map(|model| model.price).collect();
        let higher = Price { input: 4, output: 15, cached: Some(4), cache_write: Some(3) };
        let known = Price { input: 3, output: 15, cached: Some(1), cache_write: None };
        assert_eq!(found, [Some(known), Some(higher), None, None]);
    }

    #[test]
    fn a_run_from_elsewhere_is_held_to_the_bounds_of_this_host_and_keeps_its_own_where_they_are_lower() {
        let mut config = Config::new(ModelSpec::named("scripted/one"));
        config.limits.turns = Bound::Unbounded;
        config.limits.depth = 1;
        config.limits.max_tokens = MaxTokensRecovery { attempts: u64::MAX, ceiling: Some(u64::MAX) };
        config.retry = RetryPolicy {
            attempts: u64::MAX,
            base_ms: 0,
            cap_ms: 0,
            patience_ms: u64::MAX,
            jitter_milli: 1_000,
        };
        let name = |name: &str| Alias {
            name: name.into(),
            tool: "shell".into(),
            arguments: Default::default(),
            values: Default::default(),
        };
        config.policy.aliases = alloc::vec![name("read"), name("bash")];
        let narrowing = Narrowing {
            limits: Some(Limits::default()),
            retry: Some(RetryPolicy::default()),
            aliases: Some(alloc::vec![name("bash")]),
            drops_workspace: true,
            ..Narrowing::default()
        };
        config.workspace = "/".parse().ok();
        narrowing.apply(&mut config);
        assert_eq!(config.workspace, None);
        let own = Limits::default();
        assert_eq!((config.limits.turns, config.limits.depth), (own.turns, 1));
        assert_eq!(config.limits.max_tokens, own.max_tokens);
        let retry = RetryPolicy { cap_ms: RetryPolicy::default().base_ms, ..RetryPolicy::default() };
        assert_eq!(config.retry, retry);
        assert_eq!(config.policy.aliases, [name("bash")]);
    }

    #[test]
    fn no_value_makes_a_run_laxer() {
        let price = Some(Price { input: 1, output: 2, ..Price::default() });
        let own = Config::new(ModelSpec { price, ..ModelSpec::named("scripted/one") });
        let mut config = own.clone();
        let lax = Narrowing {
            mark_rule: Some(MarkRule::ShowOnly),
            limits: Some(Limits {
                turns: Bound::Unbounded,
                tool_ms: u64::MAX,
                depth: 99,
                ..Limits::default()
            }),
            retry: Some(RetryPolicy { attempts: 99, base_ms: 0, ..RetryPolicy::default() }),
            prices: Some(BTreeMap::from([("scripted/one".into(), Price::default())])),
            ..Narrowing::default()
        };
        lax.apply(&mut config);
        assert_eq!(config, own);
    }
}
