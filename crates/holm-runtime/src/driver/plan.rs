//! Tells the model about a plan that a person or a hook changed before it was approved.

use holm_kernel::{Input, Prompt, Run, Verdict};

/// The message for the model before an approval of a plan that is no longer its own. The kernel
/// only reports that the plan was approved.
pub(super) fn changed_plan(run: &Run, fact: &Input) -> Option<Input> {
    let Input::Judged { call, verdict: Verdict::Allow { .. } } = fact else { return None };
    let plan = in_words(run.rewritten_plan(*call)?);
    let words =
        format!("The plan was changed before it was approved. Carry out this plan:\n\n{}", plan.trim());
    Some(Input::Steered(Prompt::text(words)))
}

/// The text of a plan that consists of one text; otherwise the arguments unchanged.
fn in_words(arguments: &str) -> String {
    let parsed: serde_json::Value = serde_json::from_str(arguments).unwrap_or_default();
    let mut members = parsed.as_object().into_iter().flat_map(serde_json::Map::values);
    match (members.next(), members.next()) {
        (Some(serde_json::Value::String(plan)), None) => plan.clone(),
        _ => arguments.to_owned(),
    }
}
