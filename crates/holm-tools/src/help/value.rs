//! Reads what follows an option: the name of a value, its choices, and whether it is optional. The
//! option itself is read in `spec.rs`; whether a list is one of choices is decided in `choices.rs`.

use super::choices::{between, listed, unquote};
use super::draft::{ValueDraft, ValueRepetition};
use super::plan::{OptionValueJoin, PlanValueKind};

impl ValueDraft {
    /// Reads one word after an option, such as `<FILE>`, `{a,b}`, `[WHEN]` or `VALUE:int`.
    pub(super) fn read(word: &str, glue: OptionValueJoin) -> Self {
        let mut value = Self { glue: Some(glue), ..Self::default() };
        value.take(word, 0);
        value
    }

    /// Another word of the same value, as in `--owner USER GROUP`.
    pub(super) fn join(&mut self, other: Self) {
        if other.names.is_empty() {
            // A lone `...` or a range such as `[1<=x<=9]`.
            self.many = if other.many == ValueRepetition::One { self.many } else { other.many };
            return;
        }
        self.names.extend(other.names);
        self.many = if other.many == ValueRepetition::One { self.many } else { other.many };
    }

    fn take(&mut self, word: &str, depth: usize) {
        let word = word.trim();
        if let Some(inner) = word.strip_suffix("...").or_else(|| word.strip_suffix('…')) {
            self.many = ValueRepetition::Values;
            if depth < 4 {
                self.take(inner, depth + 1);
            }
            return;
        }
        if word.is_empty() || depth >= 4 {
            return;
        }
        let word = ["[-]", "[+]", "[+|-]"].iter().find_map(|sign| word.strip_prefix(sign)).unwrap_or(word);
        if let Some(inner) = enclosed(word, '[', ']') {
            self.bracketed(inner, depth);
        } else if let Some(inner) = enclosed(word, '<', '>') {
            self.angled(inner);
        } else if let Some(inner) = enclosed(word, '{', '}') {
            self.choices = listed(inner, if inner.contains('|') { '|' } else { ',' });
            self.name("choice");
        } else if word.starts_with(['"', '\'']) {
            // kong shows the default where others show a name.
            self.default = Some(unquote(word).into());
            self.name("value");
        } else if self.glue == Some(OptionValueJoin::Equals) && word.starts_with(|c: char| c.is_ascii_digit())
        {
            self.default = Some(word.into());
            self.name("value");
        } else if let Some((name, rest)) = word.split_once(':').filter(|(name, _)| is_shouted(name)) {
            self.annotated(name, rest);
        } else if let Some(choices) = between(word, '|') {
            self.choices = choices;
            self.name("choice");
        } else {
            self.name(word);
        }
    }

    fn bracketed(&mut self, inner: &str, depth: usize) {
        if let Some(choices) = between(inner, '|') {
            self.choices = choices;
            return self.name("choice");
        }
        if inner.contains("<=") || inner.contains(">=") || inner.contains("<x") {
            return;
        }
        if let Some(inner) = inner.strip_prefix('=') {
            self.glue = Some(OptionValueJoin::Equals);
            self.optional = true;
            return self.take(inner, depth + 1);
        }
        let plain =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '<' | '>' | ' ' | '.' | ':' | ',');
        if inner.chars().all(plain) {
            self.optional = true;
            // `[TAGS ...]`, or the long form `[TAG [TAG ...]]` that was cut at its brackets.
            let inner = inner.strip_suffix("...").map_or(inner, |inner| {
                self.many = ValueRepetition::Values;
                inner.trim()
            });
            return self.take(inner, depth + 1);
        }
        self.name(inner);
    }

    fn angled(&mut self, inner: &str) {
        if let Some(inner) = inner.strip_suffix("...") {
            // commander and argh: the flag again for each value.
            self.many = ValueRepetition::Occurrences;
            return self.angled(inner.trim_end_matches('.'));
        }
        if let Some(choices) = between(inner, '|') {
            self.choices = choices;
            return self.name("choice");
        }
        self.name(inner);
    }

    /// `TEXT:{a,b}=a` of CLI11, `VALUE:int` of plumbum, `NAME:VALUE` of several libraries.
    fn annotated(&mut self, name: &str, rest: &str) {
        let (rest, default) = match rest.rsplit_once('=') {
            Some((rest, default)) if rest.ends_with('}') => (rest, Some(default)),
            _ => (rest, None),
        };
        self.default = default.map(|text| unquote(text).into());
        if let Some(inner) = enclosed(rest, '{', '}') {
            self.choices = listed(inner, ',');
            return self.name(name);
        }
        let kind = kind_named(rest);
        if kind.is_some() && self.kind.is_none() {
            self.kind = kind;
            return self.name(name);
        }
        self.name(&format!("{name}:{rest}"));
    }

    fn name(&mut self, name: &str) {
        let name = name.trim();
        if name.is_empty() || is_list(name) {
            self.many = ValueRepetition::Occurrences;
        }
        self.kind = self.kind.take().or_else(|| kind_named(name));
        if !name.is_empty() {
            self.names.push(name.into());
        }
    }
}

/// The type of a value by its name, as typed libraries print it.
pub(super) fn kind_named(name: &str) -> Option<PlanValueKind> {
    let lower = name.to_lowercase();
    let base = lower.strip_prefix("list[").and_then(|name| name.strip_suffix(']')).unwrap_or(&lower);
    let kind = match base.split(' ').next().unwrap_or(base) {
        "int" | "integer" | "uint" | "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32"
        | "uint64" | "ints" | "uints" | "intslice" | "long" | "short" => PlanValueKind::Integer,
        "float" | "float32" | "float64" | "double" | "decimal" | "number" | "numeric" => {
            PlanValueKind::Number
        }
        "bool" | "boolean" => PlanValueKind::Boolean,
        _ => return None,
    };
    Some(kind)
}

/// The content of a word that is enclosed in one pair of brackets.
pub(super) fn enclosed(word: &str, open: char, close: char) -> Option<&str> {
    let inner = word.strip_prefix(open)?.strip_suffix(close)?;
    (!inner.contains(open) || open == '[').then_some(inner)
}

/// Whether a word is written in capitals, as names of values are.
pub(super) fn is_shouted(word: &str) -> bool {
    word.chars().any(char::is_uppercase) && !word.chars().any(char::is_lowercase)
}

fn is_list(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.starts_with("list[")
        || matches!(
            lower.as_str(),
            "strings" | "stringarray" | "stringslice" | "ints" | "uints" | "intslice" | "list"
        )
}
