//! Answers requests for resources and prompts in the types of the protocol.
//!
//! The texts come from the traits in `library.rs`. Secrets are removed from the texts and titles of
//! resources; prompts pass as they are.

use holm_runtime::SecretRedactor;
use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResult, ListPromptsResult, ListResourcesResult, Prompt,
    PromptArgument, PromptMessage, ReadResourceResult, Resource, ResourceContents, Role,
};
use serde_json::{Value, json};

use super::library::{PromptLibrary, ResourceLibrary};

/// How many prompts a page has.
const PAGE: usize = 100;
/// The argument that a client may add to a prompt.
const TASK: &str = "task";

/// One page of texts. People and models write the titles, so secrets are removed from them too.
pub(super) async fn resources(
    library: &dyn ResourceLibrary,
    after: Option<String>,
    secrets: &SecretRedactor,
) -> Result<ListResourcesResult, ErrorData> {
    let page = library.page(after).await.map_err(|reason| ErrorData::invalid_params(reason, None))?;
    let resource = |entry: super::ResourceEntry| {
        Resource::new(entry.uri, entry.name).with_title(secrets.text(&entry.title)).with_mime_type(entry.kind)
    };
    Ok(ListResourcesResult {
        resources: page.entries.into_iter().map(resource).collect(),
        next_cursor: page.next,
        ..ListResourcesResult::default()
    })
}

/// One text, without secrets.
pub(super) async fn read(
    library: &dyn ResourceLibrary,
    uri: String,
    secrets: &SecretRedactor,
) -> Result<ReadResourceResult, ErrorData> {
    let read = library.read(uri.clone()).await.map_err(|reason| ErrorData::internal_error(reason, None))?;
    let Some(found) = read else {
        return Err(ErrorData::resource_not_found("there is no such resource", Some(json!({ "uri": uri }))));
    };
    Ok(ReadResourceResult::new(vec![ResourceContents::TextResourceContents {
        uri,
        mime_type: Some(found.kind),
        text: secrets.text(&found.text).into_owned(),
        meta: None,
    }]))
}

/// One page of prompts, starting after the last name of the previous page.
pub(super) fn prompts(prompts: &dyn PromptLibrary, after: Option<&str>) -> ListPromptsResult {
    let mut all = prompts.list();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let begin =
        after.map_or(0, |after| all.iter().take_while(|prompt| prompt.name.as_str() <= after).count());
    let rest = all.get(begin..).unwrap_or_default();
    let shown = rest.get(..PAGE.min(rest.len())).unwrap_or_default();
    let prompt = |entry: &super::LibraryPrompt| {
        let task = PromptArgument::new(TASK).with_description("What to do with it.").with_required(false);
        Prompt::new(entry.name.clone(), Some(entry.description.clone()), Some(vec![task]))
    };
    ListPromptsResult {
        prompts: shown.iter().map(prompt).collect(),
        next_cursor: shown.last().filter(|_| rest.len() > PAGE).map(|last| last.name.clone()),
        ..ListPromptsResult::default()
    }
}

/// One prompt, followed by the task if there is one.
pub(super) fn prompt(
    prompts: &dyn PromptLibrary,
    request: &GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let found = prompts.list().into_iter().find(|prompt| prompt.name == request.name);
    let Some(found) = found else {
        return Err(ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None));
    };
    let task = request.arguments.as_ref().and_then(|given| given.get(TASK)).and_then(Value::as_str);
    let task = task.filter(|task| !task.is_empty());
    let messages = std::iter::once(found.text.as_str()).chain(task);
    let messages = messages.map(|text| PromptMessage::new_text(Role::User, text)).collect();
    Ok(GetPromptResult::new(messages).with_description(found.description))
}

#[cfg(test)]
mod tests;
