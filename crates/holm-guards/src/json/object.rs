//! The members of an object: a sorted list, because nearly all objects are small.
//!
//! A tree would reserve a node of many members for an object of one. A list is one small piece of
//! memory, is walked in order for the canonical text and searched by halving. Objects are built by
//! sorting once, so a hostile text with very many names costs no more than sorting them.
//!
//! Names are unique and sorted by their bytes at all times: `json/write.rs` relies on it for the
//! canonical text.
//!
//! Texts are parsed in `json/parse.rs`; a value is `json/value.rs`.

use alloc::string::String;
use alloc::vec::{self, Vec};
use core::fmt;
use core::slice;

use super::Json;

/// The members of a JSON object, sorted by the bytes of their names; each name occurs once.
///
/// ```
/// use holm_guards::json::{Json, JsonObject};
///
/// let mut members: JsonObject =
///     [("b".into(), Json::Null), ("a".into(), Json::from(true))].into_iter().collect();
/// assert_eq!(members.keys().collect::<Vec<_>>(), ["a", "b"]);
/// assert_eq!(members.insert("b".into(), Json::from("x")), Some(Json::Null));
/// assert_eq!(members.get("b"), Some(&Json::from("x")));
/// assert_eq!(members.remove("a"), Some(Json::Bool(true)));
/// assert_eq!(members.len(), 1);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct JsonObject(Vec<(String, Json)>);

impl JsonObject {
    /// The object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes members in any order; of a repeated name the last one stays.
    pub(super) fn from_list(mut members: Vec<(String, Json)>) -> Self {
        // Canonical text, and most of what people write by hand, comes sorted.
        if !members.is_sorted_by(|(a, _), (b, _)| a < b) {
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            members.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    core::mem::swap(later, earlier);
                }
                same
            });
        }
        Self(members)
    }

    /// The number of members.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the object has no members.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of the member called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.get(self.find(name).ok()?).map(|(_, value)| value)
    }

    /// The value of the member called `name`, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        let at = self.find(name).ok()?;
        self.0.get_mut(at).map(|(_, value)| value)
    }

    /// Whether the object has a member called `name`.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// Sets a member and returns its former value.
    ///
    /// Members after the new one move, so many are better collected than inserted one by one;
    /// those that come in order are only appended.
    pub fn insert(&mut self, name: String, value: Json) -> Option<Json> {
        match self.find(&name) {
            Ok(at) => self.0.get_mut(at).map(|(_, old)| core::mem::replace(old, value)),
            Err(at) => {
                self.0.insert(at, (name, value));
                None
            }
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let at = self.find(name).ok()?;
        Some(self.0.remove(at).1)
    }

    /// Names and values in the order of the names.
    #[must_use]
    pub fn iter(&self) -> ObjectIter<'_> {
        ObjectIter(self.0.iter())
    }

    /// The names in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &String> + ExactSizeIterator + Clone {
        self.0.iter().map(|(name, _)| name)
    }

    /// The values in the order of their names.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Json> + ExactSizeIterator + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    /// The values in the order of their names, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Json> + ExactSizeIterator {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// The index of the name, or the index where it would be inserted.
    fn find(&self, name: &str) -> Result<usize, usize> {
        // The last place first: it is the only one in the smallest objects, and members that come
        // in order go there.
        match self.0.last().map(|(last, _)| last.as_str().cmp(name)) {
            None => Err(0),
            Some(core::cmp::Ordering::Less) => Err(self.0.len()),
            Some(core::cmp::Ordering::Equal) => Ok(self.0.len() - 1),
            Some(core::cmp::Ordering::Greater) => {
                self.0.binary_search_by(|(known, _)| known.as_str().cmp(name))
            }
        }
    }
}

impl fmt::Debug for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl FromIterator<(String, Json)> for JsonObject {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(members: I) -> Self {
        Self::from_list(members.into_iter().collect())
    }
}

impl IntoIterator for JsonObject {
    type Item = (String, Json);
    type IntoIter = vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a JsonObject {
    type Item = (&'a String, &'a Json);
    type IntoIter = ObjectIter<'a>;

    fn into_iter(self) -> ObjectIter<'a> {
        self.iter()
    }
}

/// Names and values of an object, in the order of the names.
#[derive(Debug, Clone)]
pub struct ObjectIter<'a>(slice::Iter<'a, (String, Json)>);

impl<'a> Iterator for ObjectIter<'a> {
    type Item = (&'a String, &'a Json);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for ObjectIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(name, value)| (name, value))
    }
}

impl ExactSizeIterator for ObjectIter<'_> {}
