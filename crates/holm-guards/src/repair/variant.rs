//! Unwraps variants of tagged unions that arrive in a wrapper.
//!
//! It only proposes the flat object; `repair/fixer.rs` tries it and keeps it if it is valid and no
//! other branch fits. It acts only where the schema fixes the tag, so that no tag is invented.

use alloc::string::String;

use crate::json::{Json, JsonObject};
use crate::schema::{CompiledSchema, SchemaNodeId, fixed, follow};

/// The names under which models wrap the fields of a variant.
const WRAPPERS: [&str; 9] =
    ["value", "content", "data", "fields", "params", "parameters", "args", "arguments", "payload"];

/// The flat object that a wrapped value of the branch `id` was meant to be, if it is one.
///
/// The branch must fix a property (the tag) to a string. Then these
/// become `{"<tag>": "<name>", …}`:
/// - `{"<name>": {…}}`
/// - `{"<tag>": "<name>", "<wrapper>": {…}}` where the branch has no property of the wrapper's name
/// - `{"<tag>": "<name>", …, "<other>": null}` where only another branch has the property `<other>`
pub(super) fn flatten(
    schema: &CompiledSchema,
    branches: &[SchemaNodeId],
    id: SchemaNodeId,
    value: &Json,
) -> Option<Json> {
    let members = value.as_object()?;
    let rules = follow(schema, id)?.object.as_deref()?;
    let tags =
        rules.properties.iter().filter_map(|(tag, node)| Some((&**tag, fixed(schema, *node)?.as_str()?)));
    for (tag, name) in tags {
        if let Some(inner) = only_member(members, name) {
            return tagged(inner, tag, name);
        }
        if members.get(tag).and_then(Json::as_str) != Some(name) {
            continue;
        }
        let wrapped = WRAPPERS.iter().filter(|wrapper| rules.property(wrapper).is_none());
        let mut wrapped = wrapped.filter_map(|wrapper| members.get(wrapper)?.as_object());
        if let (2, Some(inner)) = (members.len(), wrapped.next()) {
            return tagged(inner, tag, name);
        }
        let foreign = |(name, member): &(&String, &Json)| {
            member.is_null() && rules.property(name).is_none() && is_declared(schema, branches, name)
        };
        if members.iter().any(|member| foreign(&member)) {
            let kept = members.iter().filter(|member| !foreign(member));
            return Some(Json::Object(kept.map(|(name, member)| (name.clone(), member.clone())).collect()));
        }
    }
    None
}

/// The object under `name` if it is the only member.
fn only_member<'a>(members: &'a JsonObject, name: &str) -> Option<&'a JsonObject> {
    if members.len() == 1 { members.get(name)?.as_object() } else { None }
}

/// The fields with their tag; `None` if they carry another tag already.
fn tagged(inner: &JsonObject, tag: &str, name: &str) -> Option<Json> {
    let mut flat = inner.clone();
    let other = flat.insert(tag.into(), name.into());
    other.is_none_or(|other| other.as_str() == Some(name)).then_some(Json::Object(flat))
}

fn is_declared(schema: &CompiledSchema, branches: &[SchemaNodeId], name: &str) -> bool {
    let declares = |id: &SchemaNodeId| Some(follow(schema, *id)?.object.as_deref()?.property(name).is_some());
    branches.iter().any(|id| declares(id).unwrap_or(false))
}
