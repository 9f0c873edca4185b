//! Reads frames of the usual shape without a general parser.
//!
//! A parser for any JSON looks at each byte of each member, and most members of a frame are read by nobody. The cursor here knows
//! plain JSON (no escape in a name, no member twice, little nesting) and steps over what is not wanted eight bytes at a time. It
//! gives up at the first doubt, and serde reads the frame from its beginning. So what is accepted, and what it means, is
//! serde's decision alone; tests and a fuzz target compare the two.

mod cursor;
mod values;

#[cfg(test)]
mod tests;

pub(crate) use cursor::Cursor;

use holm_read::{Read, ReadError};

/// What can be read by a cursor.
///
/// `Some` means that serde would read the same bytes as the same value; `None` says nothing.
pub(crate) trait Lean<'a>: Sized {
    fn lean(cursor: &mut Cursor<'a>) -> Option<Self>;
}

/// Parses a frame: leanly if its shape allows, by serde otherwise.
///
/// # Errors
/// Those of serde.
pub(crate) fn parse<'a, T: Lean<'a> + Read<'a>>(frame: &'a [u8]) -> Result<T, ReadError> {
    // In WASM a download is paid by everybody and a microsecond by nobody; and the two read the same.
    if cfg!(not(target_arch = "wasm32"))
        && let Some(value) = read(frame)
    {
        return Ok(value);
    }
    holm_read::from_slice(frame)
}

/// Reads one value that fills the frame.
fn read<'a, T: Lean<'a>>(frame: &'a [u8]) -> Option<T> {
    let mut cursor = Cursor::new(frame)?;
    let value = T::lean(&mut cursor)?;
    cursor.at_end().then_some(value)
}

/// Makes a struct lean: the names of its members, as serde knows them, and where each goes. All members must be named, or it
/// does not compile.
macro_rules! lean {
    ($shape:ident { $($($name:literal)|+ => $member:ident),+ $(,)? }) => {
        impl<'a> $crate::lean::Lean<'a> for $shape<'a> {
            fn lean(cursor: &mut $crate::lean::Cursor<'a>) -> Option<Self> {
                let mut value = Self::default();
                // Whether each member has come; and the proof that none was forgotten here.
                let Self { $($member: _),+ } = value;
                $(let mut $member = false;)+
                cursor.members(|name, cursor| {
                    match name {
                        // A name that comes twice is for serde to refuse.
                        $($($name)|+ if $member => return None,
                        $($name)|+ => {
                            value.$member = $crate::lean::Lean::lean(cursor)?;
                            $member = true;
                        })+
                        _ => drop(cursor.skip()?),
                    }
                    Some(())
                })?;
                Some(value)
            }
        }
    };
}

pub(crate) use lean;
