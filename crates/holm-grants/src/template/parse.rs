//! A template: read once when a tool is registered, filled for each call.
//!
//! An author's mistake must show at registration, so each template is filled once with sample
//! values. An argument that is missing or not allowed in its place refuses the call; it never makes
//! the call need less. The number of needs is bounded, since a model chooses how many values it
//! sends. Putting values into their places is in `template/fill.rs`, one pair of braces in
//! `template/slot.rs`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use super::fill;
use super::need::CallNeed;
use super::patch::patch_files;
use super::slot::{AbsentArgument, NeedTemplatePiece, SlotPart, TemplateSlot, path_in_workspace, pieces};
use crate::error::GrantError;
use crate::grant::Grant;
use crate::kind::GrantKind;
use crate::path::FilePath;
use crate::text::serde_as_text;

/// The longest template in bytes: authors write far shorter ones.
const MAX_TEMPLATE: usize = 1024;
/// The most arguments in one template: a few name one thing.
const MAX_SLOTS: usize = 8;
/// The most needs of one template: beyond this a person could not judge them, so
/// the call is refused.
const MAX_NEEDS: usize = 256;

/// A need with arguments still open: `read:{path}`, `fetch:{url}`,
/// `exec:git`, `read:{folder=.}/**`.
///
/// `{name}` must be given, `{name?}` needs nothing if absent, `{name=value}` stands for the value
/// that the tool then uses. `{name:files}` stands for every file that a patch names
/// ([`patch_files`]), and `{name:workspace}` for a path of a tool whose root is the workspace
/// ([`path_in_workspace`]). A value is data: stars, braces and slashes in it have no meaning of their
/// own, and beside other text it cannot leave its place.
///
/// ```
/// use holm_grants::NeedTemplate;
/// let template: NeedTemplate = "read:{path}".parse()?;
/// let needs =
///     template.needs(|name| if name == "path" { vec!["a/../b.txt", "*"] } else { vec![] })?;
/// assert_eq!(
///     needs.iter().map(|need| need.to_string()).collect::<Vec<_>>(),
///     ["read:b.txt", "read:*"]
/// );
/// assert!(template.needs(|_| vec!["../etc/passwd"]).is_err());
/// # Ok::<(), holm_grants::TemplateError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NeedTemplate {
    kind: GrantKind,
    pieces: Vec<NeedTemplatePiece>,
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
    /// The text in the braces is not an argument's name.
    #[error("no argument name between braces; use letters, digits, dots, hyphens and underscores")]
    SlotName,
    /// More arguments than one template may name.
    #[error("more than {max} arguments in one template")]
    TooManySlots {
        /// The most arguments allowed.
        max: u64,
    },
    /// A wildcard occurs in the same component or name as an argument.
    #[error("wildcard beside an argument; put a slash between them")]
    Wildcard,
    /// The text in front of the colon, or a template without arguments, is wrong.
    #[error("{0}")]
    Grant(#[from] GrantError),
    /// The call lacks an argument.
    #[error("argument {name} is missing or not text")]
    Missing { name: String },
    /// An argument's value is not a path, URL or name, or would leave its place.
    #[error("argument {name}: {reason}", reason = .reason.without_subject())]
    Value {
        name: String,
        /// What is wrong with its value.
        reason: GrantError,
    },
    /// An argument's value reaches beyond the place where the template puts it.
    #[error("argument {name} changes more than its place in the template")]
    Leaves { name: String },
    /// The arguments name more things than one call may touch.
    #[error("the arguments name more than {max} things; split the call")]
    TooManyNeeds {
        /// The most needs allowed.
        max: u64,
    },
}

impl NeedTemplate {
    /// The kind of power that is needed.
    #[must_use]
    pub fn kind(&self) -> GrantKind {
        self.kind
    }

    /// The arguments that the template names, so that a registry can compare them
    /// with the tool's schema.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.slots().map(|slot| slot.name.as_str())
    }

    /// The arguments that are paths of a tool whose root is the workspace.
    pub fn workspace_paths(&self) -> impl Iterator<Item = &str> {
        self.slots().filter(|slot| slot.part == SlotPart::Workspace).map(|slot| slot.name.as_str())
    }

    /// The needs of a call with these arguments.
    ///
    /// `lookup` returns all values of an argument: one, several for a list, none if it is absent.
    /// An argument that is present but not a text must not be treated as absent; return its text.
    ///
    /// # Errors
    ///
    /// If an argument is missing or its value is not allowed there. The call must then be refused.
    pub fn needs<'v, V>(&self, lookup: impl Fn(&str) -> V) -> Result<Vec<CallNeed>, TemplateError>
    where
        V: IntoIterator<Item = &'v str>,
    {
        self.needs_in(None, lookup)
    }

    /// The needs of a call in a workspace, which is the root of `{name:workspace}`.
    ///
    /// # Errors
    ///
    /// As [`Self::needs`], for arguments that are looked up by name.
    pub fn needs_in<'v, V>(
        &self,
        workspace: Option<&FilePath>,
        lookup: impl Fn(&str) -> V,
    ) -> Result<Vec<CallNeed>, TemplateError>
    where
        V: IntoIterator<Item = &'v str>,
    {
        let mut needs = Vec::new();
        self.add_needs(workspace, lookup, &mut needs)?;
        Ok(needs)
    }

    /// Adds the needs of a call with these arguments to `needs`; for tools with several templates.
    ///
    /// # Errors
    ///
    /// As [`Self::needs`]; needs that were added before the mistake was found stay.
    ///
    /// ```
    /// use holm_grants::NeedTemplate;
    /// let (from, to): (NeedTemplate, NeedTemplate) =
    ///     ("read:{from}".parse()?, "write:{to}".parse()?);
    /// let mut needs = Vec::new();
    /// from.needs_into(|_| Some("a.txt"), &mut needs)?;
    /// to.needs_into(|_| Some("b.txt"), &mut needs)?;
    /// assert_eq!(
    ///     needs.iter().map(|need| need.to_string()).collect::<Vec<_>>(),
    ///     ["read:a.txt", "write:b.txt"]
    /// );
    /// # Ok::<(), holm_grants::TemplateError>(())
    /// ```
    pub fn needs_into<'v, V>(
        &self,
        lookup: impl Fn(&str) -> V,
        needs: &mut Vec<CallNeed>,
    ) -> Result<(), TemplateError>
    where
        V: IntoIterator<Item = &'v str>,
    {
        self.add_needs(None, lookup, needs)
    }

    fn add_needs<'v, V>(
        &self,
        workspace: Option<&FilePath>,
        lookup: impl Fn(&str) -> V,
        needs: &mut Vec<CallNeed>,
    ) -> Result<(), TemplateError>
    where
        V: IntoIterator<Item = &'v str>,
    {
        let mut rows = ArgumentRows::default();
        for slot in self.slots() {
            let given = lookup(&slot.name).into_iter();
            let added = match slot.part {
                SlotPart::Whole => rows.fill(slot, given)?,
                SlotPart::Files => rows.fill(slot, given.flat_map(patch_files))?,
                SlotPart::Workspace => {
                    rows.fill(slot, given.map(|path| path_in_workspace(path, workspace)))?
                }
            };
            if !added {
                return Ok(());
            }
        }
        needs.reserve_exact(rows.count);
        rows.each(|values| {
            needs.push(fill::fill(self.kind, &self.pieces, values)?);
            Ok(())
        })
    }

    /// Fills the template once with plain values, so that an author's
    /// mistake shows at registration.
    fn rehearse(&self) -> Result<(), TemplateError> {
        if let [
            NeedTemplatePiece::Slot(TemplateSlot {
                absent: AbsentArgument::Refused | AbsentArgument::Nothing,
                ..
            }),
        ] = self.pieces.as_slice()
        {
            return Ok(());
        }
        let values: Vec<&str> = self.slots().map(TemplateSlot::sample).collect();
        fill::fill(self.kind, &self.pieces, &values).map(|_| ())
    }

    fn slots(&self) -> impl Iterator<Item = &TemplateSlot> {
        self.pieces.iter().filter_map(|piece| match piece {
            NeedTemplatePiece::Slot(slot) => Some(slot),
            NeedTemplatePiece::Text(_) => None,
        })
    }
}

/// The values of all arguments, and every way to take one of each.
struct ArgumentRows<'a> {
    /// The first value of each argument; nearly every call has no others.
    first: [&'a str; MAX_SLOTS],
    slots: usize,
    /// Further values with the argument they belong to.
    others: Vec<(usize, &'a str)>,
    /// The number of combinations.
    count: usize,
}

impl Default for ArgumentRows<'_> {
    fn default() -> Self {
        Self { first: [""; MAX_SLOTS], slots: 0, others: Vec::new(), count: 1 }
    }
}

impl<'a> ArgumentRows<'a> {
    /// Adds a slot with its values, or with their default. Returns false if the
    /// call then needs nothing.
    fn fill<'v: 'a>(
        &mut self,
        slot: &'a TemplateSlot,
        mut values: impl Iterator<Item = &'v str>,
    ) -> Result<bool, TemplateError> {
        let first = match (values.next(), &slot.absent) {
            (Some(value), _) => value,
            (None, AbsentArgument::Refused) => {
                return Err(TemplateError::Missing { name: slot.name.clone() });
            }
            (None, AbsentArgument::Nothing) => return Ok(false),
            (None, AbsentArgument::Default(value)) => value,
        };
        self.add(first, values)?;
        Ok(true)
    }

    /// Adds an argument with its values.
    fn add<'v: 'a>(
        &mut self,
        first: &'a str,
        others: impl Iterator<Item = &'v str>,
    ) -> Result<(), TemplateError> {
        if let Some(place) = self.first.get_mut(self.slots) {
            *place = first;
        }
        let mut values = 1_usize;
        for other in others {
            values += 1;
            if self.count.saturating_mul(values) > MAX_NEEDS {
                return Err(TemplateError::TooManyNeeds { max: MAX_NEEDS as u64 });
            }
            self.others.push((self.slots, other));
        }
        self.count = self.count.saturating_mul(values);
        self.slots += 1;
        Ok(())
    }

    /// Shows each row, the last argument changing fastest.
    fn each(&self, mut show: impl FnMut(&[&str]) -> Result<(), TemplateError>) -> Result<(), TemplateError> {
        let mut row = self.first;
        for number in 0..self.count {
            let mut rest = number;
            if !self.others.is_empty() {
                for slot in (0..self.slots).rev() {
                    let others = || self.others.iter().filter(|(owner, _)| *owner == slot);
                    let values = others().count() + 1;
                    let chosen = (rest % values).checked_sub(1).and_then(|index| others().nth(index));
                    if let (Some(place), Some(first)) = (row.get_mut(slot), self.first.get(slot)) {
                        *place = chosen.map_or(first, |(_, value)| value);
                    }
                    rest /= values;
                }
            }
            show(row.get(..self.slots).unwrap_or_default())?;
        }
        Ok(())
    }
}

impl FromStr for NeedTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        if text.len() > MAX_TEMPLATE {
            return Err(TemplateError::TooLong { max: MAX_TEMPLATE as u64 });
        }
        let (kind, value) = GrantKind::split(text)?;
        kind.check_value(value)?;
        let template = Self { kind, pieces: pieces(value)? };
        match template.slots().count() {
            // A template without arguments is a grant, and wrong ones should be noticed at
            // registration.
            0 => text.parse::<Grant>().map(|_| ())?,
            1..=MAX_SLOTS => template.rehearse()?,
            _ => return Err(TemplateError::TooManySlots { max: MAX_SLOTS as u64 }),
        }
        Ok(template)
    }
}

impl fmt::Display for NeedTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.kind.as_str())?;
        self.pieces.iter().try_for_each(|piece| piece.fmt(f))
    }
}

serde_as_text!(NeedTemplate);
