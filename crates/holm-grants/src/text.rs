//! Text identity: which characters may stand in a grant at all, and how a denial sees through disguises.
//!
//! Everything is compared as bytes in one canonical form. A character that a person cannot see would make two
//! texts look alike and compare unlike, so such characters are refused where text enters the crate.

use alloc::string::String;

/// Whether a character would be invisible, reorder the text around it, or steer a terminal.
///
/// The two joiners U+200C and U+200D stay allowed: emoji and several scripts need them in file names.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The form in which denials compare: case, joiners and variation selectors do not count.
///
/// Upper before lower case, so that `ſ`, the Kelvin sign and the dotless `ı` end where `s`, `k` and `i` do: a
/// file system that ignores case may treat them alike, and a denial must then hold.
pub(crate) fn fold(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}'))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect()
}

/// A folded component as file systems that drop trailing dots, spaces and stream names would open it.
pub(crate) fn bare(component: &str) -> &str {
    let before_stream = component.split_once(':').map_or(component, |(name, _)| name);
    before_stream.trim_end_matches(['.', ' '])
}

/// Whether [`bare`] would change a component.
pub(crate) fn is_dressed(component: &str) -> bool {
    component.ends_with(['.', ' ']) || component.bytes().any(|byte| byte == b':')
}

/// Serialises a type as its text and reads it back through `FromStr`, so that there is one form everywhere.
macro_rules! serde_as_text {
    ($($type:ty),+ $(,)?) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <alloc::string::String as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl<'a> holm_read::Read<'a> for $type {
            fn read(reader: &mut holm_read::Reader<'a>) -> Result<Self, holm_read::ReadError> {
                reader.string()?.parse().map_err(|error| reader.refused(&error))
            }
        }
    )+};
}

pub(crate) use serde_as_text;

#[cfg(test)]
mod tests;
