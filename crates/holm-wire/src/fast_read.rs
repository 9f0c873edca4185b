//! A fast path for reading frames of the usual shape without the general reader.
//!
//! A general JSON reader looks at each byte of each member, although most members of a frame are
//! not used. The cursor here supports only plain JSON: no escape in a name, no repeated member,
//! little nesting. It skips unused values eight bytes at a time. At the first doubt it gives up,
//! and `holm-read` reads the frame from its beginning. `holm-read` alone therefore decides what is
//! accepted and what it means; tests and a fuzz target compare the two.
//!
//! `cursor.rs` moves through the bytes, and `values.rs` reads the basic values. A new member of a
//! frame is listed in the `wire.rs` of its format and never here.

mod cursor;
mod values;

#[cfg(test)]
mod tests;

pub(crate) use cursor::Cursor;

use holm_read::{Read, ReadError};

/// A type that a cursor can read.
///
/// `Some` means that the general reader would read the same bytes as the same
/// value. `None` means nothing.
pub(crate) trait FastRead<'a>: Sized {
    fn fast_read(cursor: &mut Cursor<'a>) -> Option<Self>;
}

/// Parses a frame: with the cursor if its shape allows it, and with the general reader otherwise.
///
/// # Errors
/// The errors of the general reader.
pub(crate) fn parse<'a, T: FastRead<'a> + Read<'a>>(frame: &'a [u8]) -> Result<T, ReadError> {
    // In WASM, every user pays for the size of the download, and the time saved does not matter.
    // Both readers give the same result.
    if cfg!(not(target_arch = "wasm32"))
        && let Some(value) = read(frame)
    {
        return Ok(value);
    }
    holm_read::from_slice(frame)
}

/// Reads one value that spans the whole frame.
fn read<'a, T: FastRead<'a>>(frame: &'a [u8]) -> Option<T> {
    let mut cursor = Cursor::new(frame)?;
    let value = T::fast_read(&mut cursor)?;
    cursor.at_end().then_some(value)
}

/// Implements `FastRead` for a struct: lists the names of its members, as serde knows them, and the
/// field of each. Leaving out a member is a compile error.
macro_rules! fast_read {
    ($type:ident { $($($name:literal)|+ => $member:ident),+ $(,)? }) => {
        impl<'a> $crate::fast_read::FastRead<'a> for $type<'a> {
            fn fast_read(cursor: &mut $crate::fast_read::Cursor<'a>) -> Option<Self> {
                let mut value = Self::default();
                // Records whether each member has been read. The pattern also ensures that no
                // member is missing here.
                let Self { $($member: _),+ } = value;
                $(let mut $member = false;)+
                cursor.members(|name, cursor| {
                    match name {
                        // The general reader refuses a repeated name.
                        $($($name)|+ if $member => return None,
                        $($name)|+ => {
                            value.$member = $crate::fast_read::FastRead::fast_read(cursor)?;
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

pub(crate) use fast_read;
