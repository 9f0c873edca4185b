//! Parses the `serde` attributes that determine how a type is read. Types are parsed in `parse.rs`.
//! An attribute that is not known is an error and never ignored, because the type would be read
//! differently from what serde writes.

use proc_macro::{TokenStream, TokenTree};

/// The attributes of a type, a variant or a field.
#[derive(Default)]
pub(crate) struct SerdeAttributes {
    pub(crate) default: bool,
    pub(crate) skip: bool,
    pub(crate) rename: Option<String>,
    pub(crate) rename_all: Option<SerdeCase>,
    pub(crate) alias: Option<String>,
}

/// How names are written in JSON.
#[derive(Clone, Copy)]
pub(crate) enum SerdeCase {
    Snake,
    Camel,
    Lower,
}

impl SerdeAttributes {
    /// Adds the attributes inside one `#[serde(…)]`.
    pub(crate) fn add(&mut self, tokens: TokenStream) -> Result<(), String> {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let TokenTree::Ident(key) = token else { continue };
            let mut value = None;
            if matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '=') {
                tokens.next();
                value = tokens.next().map(|literal| literal.to_string().trim_matches('"').to_owned());
            }
            self.set(&key.to_string(), value)?;
        }
        Ok(())
    }

    fn set(&mut self, key: &str, value: Option<String>) -> Result<(), String> {
        match (key, value) {
            ("default", None) => self.default = true,
            ("skip", None) => (self.skip, self.default) = (true, true),
            ("rename", Some(name)) => self.rename = Some(name),
            ("alias", Some(name)) => self.alias = Some(name),
            ("rename_all", Some(case)) => self.rename_all = Some(SerdeCase::of(&case)?),
            // A struct with one unnamed field is always read as that field. The other attributes
            // concern writing.
            ("transparent" | "borrow", None) | ("skip_serializing_if" | "into", Some(_)) => {}
            (key, _) => return Err(format!("`{key}` in a serde attribute is unknown to derive(Read)")),
        }
        Ok(())
    }

    /// The JSON name of the Rust name `name`.
    pub(crate) fn name_of(&self, name: &str, all: Option<SerdeCase>) -> String {
        let plain = name.strip_prefix("r#").unwrap_or(name);
        self.rename.clone().unwrap_or_else(|| all.map_or_else(|| plain.to_owned(), |case| case.apply(plain)))
    }
}

impl SerdeCase {
    fn of(name: &str) -> Result<Self, String> {
        match name {
            "snake_case" => Ok(Self::Snake),
            "camelCase" => Ok(Self::Camel),
            "lowercase" => Ok(Self::Lower),
            other => Err(format!("rename_all = {other:?} is unknown to derive(Read)")),
        }
    }

    /// Variants are written in `PascalCase` and fields in `snake_case`.
    fn apply(self, name: &str) -> String {
        match self {
            Self::Lower => name.to_ascii_lowercase(),
            Self::Snake => {
                let mut out = String::new();
                for (index, character) in name.char_indices() {
                    if character.is_ascii_uppercase() && index > 0 {
                        out.push('_');
                    }
                    out.push(character.to_ascii_lowercase());
                }
                out
            }
            Self::Camel => {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default();
                let first = first.get(..1).unwrap_or_default().to_ascii_lowercase()
                    + first.get(1..).unwrap_or_default();
                words.fold(first, |out, word| {
                    out + &word.get(..1).unwrap_or_default().to_ascii_uppercase()
                        + word.get(1..).unwrap_or_default()
                })
            }
        }
    }
}
