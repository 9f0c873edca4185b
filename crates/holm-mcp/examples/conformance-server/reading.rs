//! Resources and prompts.

use rmcp::model::{
    ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResult, ImageContent, Prompt, PromptArgument,
    PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
};
use serde_json::{Value, json};

use super::plain::PICTURE;

pub(crate) fn resources() -> Vec<Resource> {
    vec![
        Resource::new("test://static-text", "text").with_mime_type("text/plain"),
        Resource::new("test://static-binary", "picture").with_mime_type("image/png"),
        Resource::new("test://watched-resource", "watched").with_mime_type("text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![ResourceTemplate::new("test://template/{id}/data", "template").with_mime_type("application/json")]
}

pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let text = |kind: &str, text: String| ResourceContents::TextResourceContents {
        uri: uri.into(),
        mime_type: Some(kind.into()),
        text,
        meta: None,
    };
    let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let contents = match (uri, id) {
        ("test://static-text", _) => {
            text("text/plain", "This is the content of the static text resource.".into())
        }
        ("test://watched-resource", _) => text("text/plain", "Somebody may watch this.".into()),
        ("test://static-binary", _) => ResourceContents::BlobResourceContents {
            uri: uri.into(),
            mime_type: Some("image/png".into()),
            blob: PICTURE.into(),
            meta: None,
        },
        (_, Some(id)) => {
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            text("application/json", data.to_string())
        }
        (_, None) => {
            return Err(ErrorData::resource_not_found(
                "there is no such resource",
                Some(json!({ "uri": uri })),
            ));
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

pub(crate) fn prompts() -> Vec<Prompt> {
    let argument = |name: &str| PromptArgument::new(name).with_description("a word").with_required(true);
    let plain = |name: &str| Prompt::new(name, Some("A prompt."), None);
    vec![
        plain("test_simple_prompt"),
        Prompt::new(
            "test_prompt_with_arguments",
            Some("A prompt of two words."),
            Some(vec![argument("arg1"), argument("arg2")]),
        ),
        Prompt::new(
            "test_prompt_with_embedded_resource",
            Some("A prompt with a resource."),
            Some(vec![argument("resourceUri")]),
        ),
        plain("test_prompt_with_image"),
        plain(super::asking::PROMPT),
    ]
}

pub(crate) fn prompt(request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let given = request.arguments.unwrap_or_default();
    let word = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let say = |text: &str| PromptMessage::new_text(Role::User, text);
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![say("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            vec![say(&format!("Prompt with arguments: arg1='{}', arg2='{}'", word("arg1"), word("arg2")))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = Some(word("resourceUri")).filter(|uri| !uri.is_empty());
            let contents = ResourceContents::TextResourceContents {
                uri: uri.unwrap_or_else(|| "test://example-resource".into()),
                mime_type: Some("text/plain".into()),
                text: "Embedded resource content for testing.".into(),
                meta: None,
            };
            vec![
                PromptMessage::new(Role::User, ContentBlock::resource(contents)),
                say("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::Image(ImageContent::new(PICTURE, "image/png"))),
            say("Please analyze the image above."),
        ],
        other => return Err(ErrorData::invalid_params(format!("there is no prompt `{other}`"), None)),
    };
    Ok(GetPromptResult::new(messages))
}
