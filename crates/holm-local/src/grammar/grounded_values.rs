//! A grammar for extracted values: a schema gives the structure, and every text is copied from a
//! source.
//!
//! When it is used is decided in `host/local_connection.rs`; calls are in `calls.rs`. Whether a
//! copied value is the right one is not checked here. Sources and depth are bounded.

use std::fmt::Write as _;

use holm_guards::json::{Json, JsonObject, write_string};

use super::subset;

/// The deepest nesting of schemas that is constrained.
const MAX_DEPTH: u32 = 8;
/// How much of a source can be copied, so that the automaton stays small.
const MAX_SOURCE: usize = 256 * 1024;

/// The grammar of a schema whose texts come from the sources.
pub(super) fn value(schema: &Json, sources: &[&str]) -> String {
    let mut rules = GrammarRules { text: String::new(), count: 0 };
    let root = rules.node(&subset::reduce_with_unique(schema), MAX_DEPTH);
    let mut text = format!("start: {root}\n{}", rules.text);
    let names: Vec<String> = (0..sources.len()).map(|number| format!("SOURCE_{number}")).collect();
    for (name, source) in names.iter().zip(sources) {
        let chunks: Vec<Json> = chunks(source).into_iter().map(Json::from).collect();
        let _ = writeln!(text, "{name}: %regex {{\"substring_chunks\": {}}}", Json::Array(chunks));
    }
    let any = if names.is_empty() { "\"\"".into() } else { names.join(" | ") };
    let _ = writeln!(text, "COPY: ({any}) & /(?s:.*[^\\s].*)/\nTEXT: \"\\\"\" COPY \"\\\"\"");
    text
}

/// Splits a source into the pieces that are copied whole: words, and single characters between
/// them, each in JSON notation.
fn chunks(source: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in source.char_indices().take_while(|(at, _)| *at < MAX_SOURCE).map(|(_, c)| c) {
        let word = c.is_alphanumeric();
        match out.last_mut().filter(|_| word && in_word) {
            Some(last) => last.push(c),
            None => {
                let mut escaped = String::new();
                let _ = write_string(c.encode_utf8(&mut [0; 4]), &mut escaped);
                let inside = escaped.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                out.push(inside.unwrap_or_default().into());
            }
        }
        in_word = word;
    }
    out
}

struct GrammarRules {
    text: String,
    count: u32,
}

impl GrammarRules {
    /// Adds the rules of a schema and returns the name of the first.
    fn node(&mut self, schema: &Json, depth: u32) -> String {
        let (Some(members), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else {
            return "TEXT".into();
        };
        let fixed =
            members.get("enum").and_then(Json::as_array).or(members.get("const").map(std::slice::from_ref));
        if let Some(values) = fixed.filter(|values| !values.is_empty()) {
            let values: Vec<String> = values.iter().map(|value| literal(&value.to_string())).collect();
            return self.rule(&values.join(" | "));
        }
        if let Some(branches) = members.get("anyOf").and_then(Json::as_array) {
            let names: Vec<String> = branches.iter().map(|branch| self.node(branch, depth)).collect();
            return self.rule(&names.join(" | "));
        }
        let types: Vec<&str> = match members.get("type") {
            Some(Json::String(name)) => vec![name],
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
            _ if members.contains_key("properties") => vec!["object"],
            _ => vec!["string"],
        };
        let names: Vec<String> = types.iter().map(|name| self.of_type(name, members, depth)).collect();
        self.rule(&names.join(" | "))
    }

    fn of_type(&mut self, name: &str, members: &JsonObject, depth: u32) -> String {
        match name {
            "array" => self.array(members, depth),
            "object" => self.object(members, depth),
            "boolean" => "\"true\" | \"false\"".into(),
            "null" => "\"null\"".into(),
            "integer" => "/-?(0|[1-9][0-9]*)/".into(),
            "number" => "/-?(0|[1-9][0-9]*)(\\.[0-9]+)?/".into(),
            _ => "TEXT".into(),
        }
    }

    fn array(&mut self, members: &JsonObject, depth: u32) -> String {
        let least = members.get("minItems").and_then(Json::as_u64).unwrap_or(0);
        let most = members.get("maxItems").and_then(Json::as_u64);
        if most == Some(0) {
            return "\"[]\"".into();
        }
        if let Some(rule) = self.subset(members, least, most) {
            return rule;
        }
        let item = members.get("items").map_or_else(|| "TEXT".into(), |items| self.node(items, depth));
        let none = if least == 0 { "\"[]\" | " } else { "" };
        let more = most.map(|most| (most - 1).to_string()).unwrap_or_default();
        let range = format!("{{{},{more}}}", least.saturating_sub(1));
        self.rule(&format!("{none}\"[\" {item} (\", \" {item}){range} \"]\""))
    }

    /// A list of distinct values from an `enum`: in its order, each at most once. A small model
    /// would repeat the first value.
    fn subset(&mut self, members: &JsonObject, least: u64, most: Option<u64>) -> Option<String> {
        let unique = members.get("uniqueItems").and_then(Json::as_bool) == Some(true);
        let values = members.get("items").filter(|_| unique)?.get("enum")?.as_array()?;
        let count = u64::try_from(values.len()).ok()?;
        let values: Vec<String> = values.iter().map(|value| literal(&value.to_string())).collect();
        if least >= count {
            return Some(self.rule(&format!("\"[\" {} \"]\"", values.join(" \", \" "))));
        }
        // The grammar cannot limit how many values are chosen; the validator does.
        if least > 0 || most.is_some_and(|most| most < count) {
            return None;
        }
        // Builds the rules from the last value to the first: what follows a value, and what follows
        // if none was written yet.
        let (mut after, mut first) = (String::from("\"]\""), String::from("\"]\""));
        for value in values.iter().rev() {
            let next = self.rule(&format!("{value} {after} | {first}"));
            after = self.rule(&format!("\", \" {value} {after} | {after}"));
            first = next;
        }
        Some(self.rule(&format!("\"[\" {first}")))
    }

    /// The members sorted by name. Each rule says which members may still follow.
    fn object(&mut self, members: &JsonObject, depth: u32) -> String {
        let required = members.get("required").and_then(Json::as_array).unwrap_or_default();
        let declared = members.get("properties").and_then(Json::as_object);
        let parts: Vec<(String, bool)> = declared
            .into_iter()
            .flat_map(JsonObject::iter)
            .map(|(name, schema)| {
                let needed = required.iter().any(|other| other.as_str() == Some(name));
                let (value, key) =
                    (self.node(schema, depth), literal(&format!("{}: ", Json::from(name.as_str()))));
                (format!("{key} {value}"), needed)
            })
            .collect();
        // Builds the rules from the last member to the first: what follows a member, and what
        // follows if none was written yet.
        let (mut after, mut first) = (String::from("\"}\""), String::from("\"}\""));
        for (part, needed) in parts.into_iter().rev() {
            let skip = if needed {
                [String::new(), String::new()]
            } else {
                [format!(" | {after}"), format!(" | {first}")]
            };
            let [skip_after, skip_first] = skip;
            first = self.rule(&format!("{part} {after}{skip_first}"));
            after = self.rule(&format!("\", \" {part} {after}{skip_after}"));
        }
        self.rule(&format!("\"{{\" {first}"))
    }

    fn rule(&mut self, body: &str) -> String {
        let name = format!("v{}", self.count);
        self.count += 1;
        let _ = writeln!(self.text, "{name}: {body}");
        name
    }
}

/// A text as a literal of llguidance, which has the same notation as JSON.
fn literal(text: &str) -> String {
    Json::from(text).to_string()
}
