//! A template: read once when a tool is registered, filled for each call.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use super::fill;
use super::need::Need;
use super::slot::{Absent, Piece, Slot, pieces};
use crate::error::GrantError;
use crate::grant::Grant;
use crate::kind::Kind;
use crate::text::serde_as_text;

/// The longest template in bytes: authors write far shorter ones.
const MAX_TEMPLATE: usize = 1024;
/// The most arguments in one template: a few name one thing.
const MAX_SLOTS: usize = 8;
/// The most needs of one template: beyond this a person could not judge them, so the call is refused.
const MAX_NEEDS: usize = 256;

/// A need with arguments still open: `read:{path}`, `fetch:{url}`, `exec:git`, `read:{folder=.}/**`.
///
/// `{name}` must be given, `{name?}` needs nothing where absent, `{name=value}` stands for the value that the tool then
/// uses. What fills a slot is data: stars, braces and slashes in it have no meaning of their own, and beside other text
/// it cannot leave the place where it stands.
///
/// ```
/// use holm_grants::Template;
/// let template: Template = "read:{path}".parse()?;
/// let needs = template.needs(|name| if name == "path" { vec!["a/../b.txt", "*"] } else { vec![] })?;
/// assert_eq!(needs.iter().map(|need| need.to_string()).collect::<Vec<_>>(), ["read:b.txt", "read:*"]);
/// assert!(template.needs(|_| vec!["../etc/passwd"]).is_err());
/// # Ok::<(), holm_grants::TemplateError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Template {
    kind: Kind,
    pieces: Vec<Piece>,
}

/// Why a template cannot be read or filled.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// The text is longer than any template may be.
    #[error("template is longer than {max} bytes")]
    TooLong {
        /// The most bytes allowed.
        max: u64,
    },
    /// Braces do not pair up.
    #[error("braces do not pair up; write arguments as {{name}}")]
    Braces,
    /// What stands in the braces is no argument's name.
    #[error("no argument name between braces; use letters, digits, dots, hyphens and underscores")]
    SlotName,
    /// More arguments than one template may name.
    #[error("more than {max} arguments in one template")]
    TooManySlots {
        /// The most arguments allowed.
        max: u64,
    },
    /// A wildcard stands in the same component or name as an argument.
    #[error("wildcard beside an argument; put a slash between them")]
    Wildcard,
    /// The text in front of the colon, or a template without arguments, is wrong.
    #[error("{0}")]
    Grant(#[from] GrantError),
    /// The call lacks an argument.
    #[error("argument {name} is missing or no text")]
    Missing {
        /// The argument.
        name: String,
    },
    /// An argument's value is no path, URL or name, or would leave its place.
    #[error("argument {name}: {reason}")]
    Value {
        /// The argument.
        name: String,
        /// What is wrong with its value.
        reason: GrantError,
    },
    /// An argument's value reaches beyond the place where the template puts it.
    #[error("argument {name} leaves the place that the template gives it")]
    Leaves {
        /// The argument.
        name: String,
    },
    /// The arguments name more things than one call may touch.
    #[error("the arguments name more than {max} things; split the call")]
    TooManyNeeds {
        /// The most needs allowed.
        max: u64,
    },
}

impl Template {
    /// The kind of power that is needed.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The arguments that the template names, so that a registry can compare them with the tool's schema.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.slots().map(|slot| slot.name.as_str())
    }

    /// What a call with these arguments needs.
    ///
    /// `lookup` gives all values of an argument: one, several for a list, none where it is absent. An argument that
    /// is present but no text must not be given as absent; give its text.
    ///
    /// # Errors
    ///
    /// Where an argument is missing or its value may not stand there. The call must then be refused.
    pub fn needs<'v>(&self, lookup: impl Fn(&str) -> Vec<&'v str>) -> Result<Vec<Need>, TemplateError> {
        let mut rows: Vec<Vec<String>> = Vec::from([Vec::new()]);
        for slot in self.slots() {
            let mut values: Vec<String> = lookup(&slot.name).into_iter().map(ToString::to_string).collect();
            if values.is_empty() {
                match &slot.absent {
                    Absent::Refused => return Err(TemplateError::Missing { name: slot.name.clone() }),
                    Absent::Nothing => return Ok(Vec::new()),
                    Absent::Default(value) => values.push(value.clone()),
                }
            }
            if rows.len().saturating_mul(values.len()) > MAX_NEEDS {
                return Err(TemplateError::TooManyNeeds { max: MAX_NEEDS as u64 });
            }
            rows = cross(&rows, &values);
        }
        rows.iter().map(|values| fill::fill(self.kind, &self.pieces, values)).collect()
    }

    /// Fills the template once with plain values, so that an author's mistake shows at registration.
    fn rehearse(&self) -> Result<(), TemplateError> {
        if let [Piece::Slot(Slot { absent: Absent::Refused | Absent::Nothing, .. })] = self.pieces.as_slice()
        {
            return Ok(());
        }
        let value = |slot: &Slot| match &slot.absent {
            // A digit is a path, a host, a port and a name.
            Absent::Refused | Absent::Nothing => String::from("1"),
            Absent::Default(value) => value.clone(),
        };
        let values: Vec<String> = self.slots().map(value).collect();
        fill::fill(self.kind, &self.pieces, &values).map(|_| ())
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Slot(slot) => Some(slot),
            Piece::Text(_) => None,
        })
    }
}

/// Every row with every value.
fn cross(rows: &[Vec<String>], values: &[String]) -> Vec<Vec<String>> {
    let pairs = rows.iter().flat_map(|row| values.iter().map(move |value| (row, value)));
    pairs.map(|(row, value)| row.iter().chain([value]).cloned().collect()).collect()
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        if text.len() > MAX_TEMPLATE {
            return Err(TemplateError::TooLong { max: MAX_TEMPLATE as u64 });
        }
        let (kind, value) = Kind::split(text)?;
        let template = Self { kind, pieces: pieces(value)? };
        match template.slots().count() {
            // A template without arguments is a grant, and wrong ones should be noticed at registration.
            0 => text.parse::<Grant>().map(|_| ())?,
            1..=MAX_SLOTS => template.rehearse()?,
            _ => return Err(TemplateError::TooManySlots { max: MAX_SLOTS as u64 }),
        }
        Ok(template)
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.kind.as_str())?;
        self.pieces.iter().try_for_each(|piece| piece.fmt(f))
    }
}

serde_as_text!(Template);
