//! Reads a JSON value that was printed in the debug form of Rust's `serde_json`, such as
//! `Object {"content": String("a\n"), "is_error": Bool(true)}`. Compiled tools of BoxAgnts answer
//! so. Anything else is not read, and stays the text that it is.

use holm_guards::json::Json;

/// How deep values may be nested: deeper than any answer.
const MAX_DEPTH: usize = 16;

/// The value of a text that is one whole object in this form.
pub(super) fn parse(text: &str) -> Option<Json> {
    let mut form = DebugForm { rest: text.trim() };
    if !form.rest.starts_with("Object {") {
        return None;
    }
    let value = form.value(MAX_DEPTH)?;
    form.rest.is_empty().then_some(value)
}

struct DebugForm<'a> {
    rest: &'a str,
}

impl DebugForm<'_> {
    fn value(&mut self, depth: usize) -> Option<Json> {
        let below = depth.checked_sub(1)?;
        if self.takes("Null") {
            return Some(Json::Null);
        }
        if self.takes("Object {") {
            let mut members = Vec::new();
            while !self.takes("}") {
                let name = self.string()?;
                self.takes(":").then_some(())?;
                members.push((name, self.value(below)?));
                self.takes(",");
            }
            return Some(Json::object(members));
        }
        if self.takes("Array [") {
            let mut items = Vec::new();
            while !self.takes("]") {
                items.push(self.value(below)?);
                self.takes(",");
            }
            return Some(Json::Array(items));
        }
        let value = if self.takes("String(") {
            Json::from(self.string()?)
        } else if self.takes("Bool(") || self.takes("Number(") {
            let (word, _) = self.rest.split_once(')')?;
            self.rest = self.rest.get(word.len()..)?;
            Json::parse(word).ok()?
        } else {
            return None;
        };
        self.takes(")").then_some(value)
    }

    /// Whether the text goes on with this word; it is then passed over, with the white space after it.
    fn takes(&mut self, word: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(word) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn string(&mut self) -> Option<String> {
        let mut chars = self.rest.strip_prefix('"')?.chars();
        let mut text = String::new();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => text.push(match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    'u' => {
                        let (hex, rest) = chars.as_str().strip_prefix('{')?.split_once('}')?;
                        chars = rest.chars();
                        char::from_u32(u32::from_str_radix(hex, 16).ok()?)?
                    }
                    other @ ('"' | '\\' | '\'') => other,
                    _ => return None,
                }),
                other => text.push(other),
            }
        }
        self.rest = chars.as_str().trim_start();
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serde_json_prints_for_people_is_read_back() {
        for text in [
            r#"{"content":"a\n\"b\" \\ c\u0007é","is_error":true,"metadata":null}"#,
            r#"{"content":"","metadata":{"lines":[1,-2.5,"x",{}],"none":[]}}"#,
        ] {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            let expect = Json::parse(text).unwrap();
            assert_eq!(parse(&format!("{value:?}\n")), Some(expect), "{value:?}");
        }
        for other in ["Object {", r#"Object {"a": Frob(1)}"#, r#"Object {"a": Null} more"#, "Objects", "{}"] {
            assert_eq!(parse(other), None, "{other}");
        }
        let deep = format!("{}Null{}", r#"Object {"a": "#.repeat(1_000), "}".repeat(1_000));
        assert_eq!(parse(&deep), None);
    }
}
