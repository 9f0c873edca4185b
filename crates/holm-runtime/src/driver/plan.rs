//! Tells the model about a plan that a person or a hook changed before it was approved.

use holm_kernel::{Input, Prompt, Run, Verdict};

/// What is said to the model before a yes to a plan that is not its own any more. The kernel tells it no more than that the plan
/// was approved.
pub(super) fn told(run: &Run, fact: &Input) -> Option<Input> {
    let Input::Judged { call, verdict: Verdict::Allow { .. } } = fact else { return None };
    let plan = in_words(run.rewritten_plan(*call)?);
    let words =
        format!("The plan was changed before it was approved. Carry out this plan:\n\n{}", plan.trim());
    Some(Input::Steered(Prompt::text(words)))
}

/// The one text that a plan consists of, as it is read; otherwise the arguments as they are.
fn in_words(arguments: &str) -> String {
    let said: serde_json::Value = serde_json::from_str(arguments).unwrap_or_default();
    let mut members = said.as_object().into_iter().flat_map(serde_json::Map::values);
    match (members.next(), members.next()) {
        (Some(serde_json::Value::String(plan)), None) => plan.clone(),
        _ => arguments.to_owned(),
    }
}
