//! Finds the identifiers that a document defines. This happens before compilation, so that
//! references may point forward.
//!
//! It resolves references inside the document only and never fetches anything. It compiles nothing:
//! `schema/compile/` asks it for the targets of references. URIs are resolved in `schema/uri.rs`,
//! which keywords hold schemas is listed in `schema/keywords.rs`. The number of subschemas and the
//! length of identifiers are bounded.
//!
//! JSON Schema does not say what two definitions of one identifier mean. Here one of them counts,
//! always the same: subschemas are visited from outside to inside, and siblings from the last to
//! the first; of an `$id` the first one visited counts, and of an anchor the last one. This decides
//! which arguments are valid, so a change needs a new `SEMANTICS`
//! (`holm-kernel/src/config/mod.rs`).

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{SchemaDialect, SchemaError, keywords, uri};
use crate::json::{Json, JsonObject};

/// How many subschemas one document may hold; the largest tool schemas seen have a few hundred.
pub(super) const MAX_NODES: usize = 20_000;

/// How long an identifier may be after it was resolved; every reference is resolved against one.
const MAX_IDENTIFIER: usize = 4096;

/// The identifiers of a document.
pub(super) struct SchemaIndex<'a> {
    dialect: SchemaDialect,
    resources: Vec<SchemaResource<'a>>,
    by_uri: BTreeMap<String, usize>,
    anchors: BTreeMap<(usize, &'a str), &'a Json>,
    /// The number of `$dynamicAnchor`s with each name.
    dynamic: BTreeMap<&'a str, usize>,
    /// The resource of each subschema, by the subschema's address in the borrowed document.
    owners: BTreeMap<usize, usize>,
}

/// A subschema with its own identifier, and the base that references in
/// it are resolved against.
struct SchemaResource<'a> {
    base: String,
    root: &'a Json,
}

/// The target of a reference. `schema/compile/read.rs` compiles a found one, reports a remote one as
/// not supported, and refuses a schema with a dangling one.
pub(super) enum ReferenceTarget<'a> {
    Found(&'a Json),
    /// It leads out of the document.
    Remote,
    /// It leads into the document, where nothing has this name.
    Dangling,
}

impl<'a> SchemaIndex<'a> {
    pub(super) fn build(dialect: SchemaDialect, document: &'a Json) -> Result<Self, SchemaError> {
        let mut index = Self {
            dialect,
            resources: vec![SchemaResource { base: String::new(), root: document }],
            by_uri: BTreeMap::from([(String::new(), 0)]),
            anchors: BTreeMap::new(),
            dynamic: BTreeMap::new(),
            owners: BTreeMap::new(),
        };
        let mut queue = vec![(document, 0)];
        while let Some((json, outer)) = queue.pop() {
            let Json::Object(members) = json else { continue };
            let resource = index.identify(json, members, outer)?;
            index.owners.insert(address(json), resource);
            if index.owners.len() > MAX_NODES {
                return Err(SchemaError::TooLarge { limit: MAX_NODES, what: "subschemas" });
            }
            queue.extend(keywords::children(members).into_iter().map(|child| (child, resource)));
        }
        Ok(index)
    }

    /// The resource that a subschema belongs to; `outer` if the index never met it.
    pub(super) fn owner(&self, json: &Json, outer: usize) -> usize {
        self.owners.get(&address(json)).copied().unwrap_or(outer)
    }

    /// Finds the target of a reference inside `resource`.
    pub(super) fn find(&self, resource: usize, reference: &str) -> ReferenceTarget<'a> {
        let (document, fragment) = uri::split(reference);
        let base = self.resources.get(resource).map_or("", |resource| &resource.base);
        let Some(home) = self.by_uri.get(&uri::resolve(base, document)) else {
            return ReferenceTarget::Remote;
        };
        let Some(root) = self.resources.get(*home).map(|resource| resource.root) else {
            return ReferenceTarget::Remote;
        };
        let fragment = uri::percent_decode(fragment);
        let found = if fragment.is_empty() || fragment.starts_with('/') {
            root.pointer(&fragment)
        } else {
            self.anchors.get(&(*home, fragment.as_str())).copied()
        };
        found.map_or(ReferenceTarget::Dangling, ReferenceTarget::Found)
    }

    /// Whether a `$dynamicRef` may have different targets depending on the way to it: several
    /// subschemas have a `$dynamicAnchor` with its name. `schema/compile/rules.rs` then reports it
    /// as not supported and checks nothing.
    pub(super) fn is_ambiguous(&self, reference: &str) -> bool {
        let (_, fragment) = uri::split(reference);
        self.dynamic.get(fragment).is_some_and(|count| *count > 1)
    }

    /// Records the identifiers of one subschema and returns the resource that it belongs to.
    fn identify(
        &mut self,
        json: &'a Json,
        members: &'a JsonObject,
        outer: usize,
    ) -> Result<usize, SchemaError> {
        let word = |keyword: &str| members.get(keyword).and_then(Json::as_str);
        let hidden = self.dialect == SchemaDialect::Draft7 && members.contains_key("$ref");
        let mut resource = outer;
        if let Some(id) = word("$id").filter(|_| !hidden) {
            let (document, fragment) = uri::split(id);
            if document.is_empty() && self.dialect == SchemaDialect::Draft7 {
                self.anchors.insert((resource, fragment), json);
            } else {
                resource = self.resource(json, document, outer)?;
            }
        }
        if let Some(name) = word("$anchor") {
            self.anchors.insert((resource, name), json);
        }
        if let Some(name) = word("$dynamicAnchor") {
            self.anchors.insert((resource, name), json);
            *self.dynamic.entry(name).or_default() += 1;
        }
        Ok(resource)
    }

    fn resource(&mut self, json: &'a Json, id: &str, outer: usize) -> Result<usize, SchemaError> {
        let base = self.resources.get(outer).map_or("", |resource| &resource.base);
        let base = uri::resolve(base, id);
        if base.len() > MAX_IDENTIFIER {
            return Err(SchemaError::TooLarge { limit: MAX_IDENTIFIER, what: "bytes in an identifier" });
        }
        let number = self.resources.len();
        // The first one visited keeps the identifier: its subschemas may already belong to it.
        let number = *self.by_uri.entry(base.clone()).or_insert(number);
        if number == self.resources.len() {
            self.resources.push(SchemaResource { base, root: json });
        }
        Ok(number)
    }
}

/// The identity of a value inside the borrowed document.
pub(super) fn address(json: &Json) -> usize {
    core::ptr::from_ref(json).addr()
}
