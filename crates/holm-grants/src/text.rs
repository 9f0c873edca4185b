//! Text identity: which characters may stand in a grant at all, and how a denial sees through
//! disguises.
//!
//! Everything is compared as bytes in one canonical form. A character that a user cannot see would
//! make two texts look alike and compare unlike, so such characters are refused where text enters
//! the crate.
//!
//! `holm-kernel/src/visible_text.rs` and `holm-kernel/src/envelope/defuse.rs` use the list of
//! hidden characters here too, so a character is added here and not there. Folding is for denials
//! alone (`denial.rs`); grants compare bytes.

use alloc::string::String;

/// Whether a character above ASCII takes no room, shows nothing, or changes how others are drawn.
/// No grant may hold such a character, and users see it written out.
///
/// ```
/// assert!(holm_grants::is_hidden('\u{200b}') && !holm_grants::is_hidden('é'));
/// ```
#[must_use]
pub const fn is_hidden(c: char) -> bool {
    is_joining(c)
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}'
            // Blank letters: they take room and show nothing.
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
            // Zero width, marks of direction, line and paragraph separators.
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            // Annotations and the replacement of an object.
            | '\u{fff0}'..='\u{fffc}'
            // Shorthand and musical format controls.
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            // Tags and the variation selectors behind them: a second, invisible alphabet.
            | '\u{e0000}'..='\u{e0fff}')
}

/// A name or a message on one line, for a user. Line ends, control characters, blanks that pass for
/// a space and all characters that [`is_hidden`] reports are written out as `\u{…}`. So a name can
/// neither steer a terminal nor pass for another text.
///
/// ```
/// assert_eq!(holm_grants::escaped("a\nb\u{202e}"), "a\\u{a}b\\u{202e}");
/// ```
#[must_use]
pub fn escaped(text: &str) -> String {
    let is_plain = |c: char| c == ' ' || !(c.is_control() || c.is_whitespace() || is_hidden(c));
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_plain(c) {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}

/// The two joiners, and the variation selectors of emoji.
const fn is_joining(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Whether a character may not occur in a grant: it would be invisible, reorder the text around it,
/// or steer a terminal.
///
/// Joiners and the variation selectors of emoji stay allowed, because file names need them. Denials
/// do not see them.
pub(crate) fn is_refused(c: char) -> bool {
    c.is_control() || (is_hidden(c) && !is_joining(c))
}

/// The form in which denials compare: case, joiners and variation selectors do not count.
///
/// Upper before lower case, so that `ſ`, the Kelvin sign and the dotless `ı` end where `s`, `k` and
/// `i` do: a file system that ignores case may treat them alike, and a denial must then hold.
pub(crate) fn fold(text: &str) -> String {
    text.chars()
        .filter(|c| !is_joining(*c))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect()
}

/// A folded component as file systems that drop trailing dots, spaces and stream
/// names would open it.
pub(crate) fn bare(component: &str) -> &str {
    let before_stream = component.split_once(':').map_or(component, |(name, _)| name);
    before_stream.trim_end_matches(['.', ' '])
}

/// Whether [`bare`] would change a component.
pub(crate) fn is_dressed(component: &str) -> bool {
    component.ends_with(['.', ' ']) || component.bytes().any(|byte| byte == b':')
}

/// Serialises a type as its text and reads it back through `FromStr`, so that there
/// is one form everywhere.
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
