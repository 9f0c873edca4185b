//! What a type adds to the reader: data about its fields, and slots for their values.
//!
//! The data is written by `holm-derive/src/write.rs`. The reading itself is in `reader.rs`, once
//! for all types. A repeated field is an error, and an unknown one is skipped.

use alloc::string::ToString as _;

use crate::{Read, ReadError, ReadErrorKind, Reader};

/// The fields of a struct.
#[derive(Debug)]
pub struct Shape {
    /// The field names, in the order of their slots.
    pub names: &'static [&'static str],
    /// One bit for each required field.
    pub needed: u64,
    /// Alternative names, each with the index of its field.
    pub aliases: &'static [(&'static str, usize)],
}

impl Shape {
    /// The index of a name. Fields usually come in order, so the search begins after the last one.
    fn find(&self, name: &str, next: usize) -> Option<usize> {
        if self.names.get(next).is_some_and(|known| *known == name) {
            return Some(next);
        }
        find(self.names, name)
            .or_else(|| self.aliases.iter().find(|(alias, _)| *alias == name).map(|(_, index)| *index))
    }
}

/// The variants of an enum.
#[derive(Debug)]
pub struct Tags {
    pub names: &'static [&'static str],
    /// One bit for each variant without content.
    pub bare: u64,
}

fn find(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|known| *known == name)
}

/// A slot for a value.
pub trait FieldSlot<'a> {
    /// Reads the value into the slot.
    ///
    /// # Errors
    /// [`ReadError`] if the value cannot be read.
    fn fill(&mut self, reader: &mut Reader<'a>) -> Result<(), ReadError>;
}

impl<'a, T: Read<'a>> FieldSlot<'a> for T {
    fn fill(&mut self, reader: &mut Reader<'a>) -> Result<(), ReadError> {
        *self = T::read(reader)?;
        Ok(())
    }
}

/// A slot for a required value.
#[derive(Debug)]
pub struct Wanted<T>(Option<T>);

impl<T> Wanted<T> {
    #[must_use]
    pub const fn nothing() -> Self {
        Self(None)
    }

    /// Takes the value out of the slot.
    ///
    /// # Errors
    /// [`ReadError`] if the value is missing, which [`Reader::fields`] has already reported.
    pub fn take(self, reader: &Reader<'_>) -> Result<T, ReadError> {
        self.0.ok_or_else(|| reader.expected("every needed field"))
    }
}

impl<'a, T: Read<'a>> FieldSlot<'a> for Wanted<T> {
    fn fill(&mut self, reader: &mut Reader<'a>) -> Result<(), ReadError> {
        self.0 = Some(T::read(reader)?);
        Ok(())
    }
}

impl<'a> Reader<'a> {
    /// Reads an object into the slots of its fields, and skips unknown fields.
    ///
    /// # Errors
    /// [`ReadError`] if there is no object at this position, a field occurs twice or a required one
    /// is missing, and the errors of the slots.
    pub fn fields(
        &mut self,
        shape: &'static Shape,
        slots: &mut [&mut dyn FieldSlot<'a>],
    ) -> Result<(), ReadError> {
        let (mut seen, mut next) = (0_u64, 0);
        self.members(&mut |reader, name| {
            let found = shape.find(&name, next);
            let Some((index, slot)) = found.and_then(|index| Some((index, slots.get_mut(index)?))) else {
                return reader.skip();
            };
            if seen & (1 << index) != 0 {
                return Err(reader.fail(ReadErrorKind::Twice(name_of(shape.names, index))));
            }
            seen |= 1 << index;
            next = index + 1;
            slot.fill(reader)
        })?;
        let missing = shape.needed & !seen;
        if missing == 0 {
            return Ok(());
        }
        Err(self.fail(ReadErrorKind::Missing(name_of(shape.names, missing.trailing_zeros() as usize))))
    }

    /// Reads the name of a variant and returns its index. If the variant has content, the content
    /// follows, and then its [end](Self::end_variant).
    ///
    /// # Errors
    /// [`ReadError`] if there is no such variant, or if its content is missing or unexpected.
    pub fn variant(&mut self, tags: &'static Tags) -> Result<usize, ReadError> {
        let bare = self.peek() == b'"';
        let name = if bare {
            self.string()?
        } else {
            self.enter(b'{', "the name of a variant")?;
            self.name()?
        };
        let Some(index) = find(tags.names, &name) else {
            return Err(self.fail(ReadErrorKind::Unknown { found: name.to_string(), known: tags.names }));
        };
        match (bare, tags.bare & (1 << index) != 0) {
            (true, false) => Err(self.expected("a variant with content")),
            (false, true) => {
                if !self.null()? {
                    return Err(self.expected("a variant without content"));
                }
                self.end_variant()?;
                Ok(index)
            }
            (true, true) | (false, false) => Ok(index),
        }
    }

    /// Consumes the end of a variant with content.
    ///
    /// # Errors
    /// [`ReadError`] if the variant has more content.
    pub fn end_variant(&mut self) -> Result<(), ReadError> {
        if self.peek() != b'}' {
            return Err(self.expected("the end of the variant"));
        }
        self.leave()
    }
}

fn name_of(names: &'static [&'static str], index: usize) -> &'static str {
    names.get(index).copied().unwrap_or_default()
}
