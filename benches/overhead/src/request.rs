//! The three parts of a request, in tokens of `o200k_base`.

use serde_json::Value;

/// A first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstRequest {
    /// Bytes of the whole body.
    pub bytes: usize,
    /// How many tools are offered.
    pub tools: usize,
    /// Tokens of the tool definitions, as compact JSON.
    pub tool_tokens: usize,
    /// Tokens of the texts of the system prompt.
    pub system_tokens: usize,
    /// Tokens of the texts of all other messages.
    pub message_tokens: usize,
}

impl FirstRequest {
    /// Reads a body in the format of OpenAI's Responses or Chat Completions, or of Anthropic.
    pub fn read(body: &[u8]) -> Result<Self, String> {
        let request: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        let count = |text: &str| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
        let messages = ["messages", "input"].iter().find_map(|name| request[*name].as_array());
        let messages = messages.ok_or("the request has no messages")?;
        let mut texts = [Vec::new(), Vec::new()];
        for name in ["system", "instructions"] {
            collect(&request[name], &mut texts[0]);
        }
        for message in messages {
            let is_system = matches!(message["role"].as_str(), Some("system" | "developer"));
            collect(&message["content"], &mut texts[usize::from(!is_system)]);
        }
        let [system_tokens, message_tokens] = texts.map(|texts| texts.into_iter().map(count).sum());
        let tools = request["tools"].as_array().map_or(&[][..], Vec::as_slice);
        let tool_tokens = tools.iter().map(|tool| count(&tool.to_string())).sum();
        Ok(Self { bytes: body.len(), tools: tools.len(), tool_tokens, system_tokens, message_tokens })
    }

    /// The whole request.
    pub const fn tokens(&self) -> usize {
        self.tool_tokens + self.system_tokens + self.message_tokens
    }
}

/// The texts of a content: a string, or blocks with a `text` each.
fn collect<'a>(content: &'a Value, texts: &mut Vec<&'a str>) {
    match content {
        Value::String(text) => texts.push(text),
        Value::Array(blocks) => texts.extend(blocks.iter().filter_map(|block| block["text"].as_str())),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_every_format_are_counted() {
        let tools = r#""tools":[{"name":"a"}]"#;
        for (system, messages) in [
            (r#""instructions":"one two three","#, r#""input":[{"role":"user","content":[{"text":"hi"}]}]"#),
            (r#""system":[{"text":"one two three"}],"#, r#""messages":[{"role":"user","content":"hi"}]"#),
            ("", r#""messages":[{"role":"system","content":"one two three"},{"role":"user","content":"hi"}]"#),
        ] {
            let body = format!("{{{system}{messages},{tools}}}");
            let read = FirstRequest::read(body.as_bytes()).unwrap();
            assert_eq!((read.tools, read.system_tokens, read.message_tokens), (1, 3, 1), "{body}");
            assert_eq!(read.tokens(), read.tool_tokens + 4);
        }
        assert!(FirstRequest::read(b"{}").is_err());
    }
}
