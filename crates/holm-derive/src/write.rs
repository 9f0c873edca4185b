//! Generates the implementation of an [`TypeItem`] as text.
//!
//! The generated code is mostly data: names, which of them are required, and where each goes. The
//! code that reads JSON is in `holm-read`, once for all types.
//!
//! Paths in the generated code are absolute, so that names of a user's module cannot change its
//! meaning.

use std::fmt::Write as _;

use crate::attributes::SerdeCase;
use crate::item::{EnumVariant, FieldList, NamedField, TypeBody, TypeItem};

/// The bits of one number record which fields have been read.
const MAX_FIELDS: usize = 64;

const OK: &str = "::core::result::Result::Ok";

/// The whole `impl` block.
pub(crate) fn implementation(item: &TypeItem) -> Result<String, String> {
    let name = &item.name;
    let lifetime = item.lifetime.as_deref().unwrap_or("'read");
    let arguments = item.lifetime.as_ref().map_or_else(String::new, |lifetime| format!("<{lifetime}>"));
    let body = match &item.body {
        TypeBody::Struct(FieldList::Unit | FieldList::Tuple(0)) => {
            return Err("derive(Read) does not read a struct without fields".to_owned());
        }
        TypeBody::Struct(FieldList::Tuple(1)) => "::holm_read::Read::read(reader).map(Self)".to_owned(),
        TypeBody::Struct(FieldList::Tuple(count)) => good(&tuple("Self", *count)),
        TypeBody::Struct(FieldList::Named(fields)) if item.attributes.default => {
            defaulted(fields, item.attributes.rename_all)?
        }
        TypeBody::Struct(FieldList::Named(fields)) => {
            good(&built("Self", fields, item.attributes.rename_all)?)
        }
        TypeBody::Enum(variants) => choice(variants, item.attributes.rename_all)?,
    };
    Ok(format!(
        "#[automatically_derived] impl<{lifetime}> ::holm_read::Read<{lifetime}> for {name}{arguments} {{ \
         fn read(reader: &mut ::holm_read::Reader<{lifetime}>) -> \
         ::core::result::Result<Self, ::holm_read::ReadError> {{ {body} }} }}"
    ))
}

/// Generates the code for a type whose fields all have defaults.
fn defaulted(fields: &[NamedField], case: Option<SerdeCase>) -> Result<String, String> {
    let read: Vec<&NamedField> = fields.iter().filter(|field| !field.attributes.skip).collect();
    let shape = shape(&read, case, |_| false)?;
    let slots: String = read.iter().fold(String::new(), |mut out, field| {
        let _ = write!(out, "&mut value.{}, ", field.name);
        out
    });
    Ok(format!(
        "let mut value = <Self as ::core::default::Default>::default(); {shape} \
         reader.fields(&SHAPE, &mut [{slots}])?; {}",
        good("value")
    ))
}

/// A block that collects the fields and builds `path` from them.
fn built(path: &str, fields: &[NamedField], case: Option<SerdeCase>) -> Result<String, String> {
    let read: Vec<&NamedField> = fields.iter().filter(|field| !field.attributes.skip).collect();
    let shape = shape(&read, case, |field| !field.is_optional())?;
    let (mut places, mut slots, mut members) = (String::new(), String::new(), String::new());
    for field in fields {
        let (name, kind) = (&field.name, &field.kind);
        let slot = format!("field_{}", name.trim_start_matches("r#"));
        // Writing into a string cannot fail.
        if field.attributes.skip {
            let _ = write!(members, "{name}: ::core::default::Default::default(), ");
            continue;
        }
        let _ = write!(slots, "&mut {slot}, ");
        if field.is_optional() {
            let _ = write!(places, "let mut {slot}: {kind} = ::core::default::Default::default(); ");
            let _ = write!(members, "{name}: {slot}, ");
        } else {
            let _ = write!(places, "let mut {slot} = ::holm_read::Wanted::<{kind}>::nothing(); ");
            let _ = write!(members, "{name}: {slot}.take(reader)?, ");
        }
    }
    Ok(format!("{{ {places} {shape} reader.fields(&SHAPE, &mut [{slots}])?; {path} {{ {members} }} }}"))
}

fn shape(
    fields: &[&NamedField],
    case: Option<SerdeCase>,
    needed: impl Fn(&NamedField) -> bool,
) -> Result<String, String> {
    if fields.len() > MAX_FIELDS {
        return Err(format!("derive(Read) knows structs of up to {MAX_FIELDS} fields"));
    }
    let (mut names, mut bits, mut aliases) = (String::new(), 0_u64, String::new());
    for (index, field) in fields.iter().enumerate() {
        let _ = write!(names, "{:?}, ", field.attributes.name_of(&field.name, case));
        bits |= u64::from(needed(field)) << index;
        if let Some(alias) = &field.attributes.alias {
            let _ = write!(aliases, "({alias:?}, {index}), ");
        }
    }
    Ok(format!(
        "static SHAPE: ::holm_read::Shape = \
         ::holm_read::Shape {{ names: &[{names}], needed: {bits}, aliases: &[{aliases}] }};"
    ))
}

fn choice(variants: &[EnumVariant], case: Option<SerdeCase>) -> Result<String, String> {
    if variants.is_empty() || variants.len() > MAX_FIELDS {
        return Err(format!("derive(Read) knows enums of 1 to {MAX_FIELDS} variants"));
    }
    let (mut names, mut bare, mut arms) = (String::new(), 0_u64, String::new());
    for (index, variant) in variants.iter().enumerate() {
        let _ = write!(names, "{:?}, ", variant.attributes.name_of(&variant.name, case));
        let pattern = if index + 1 == variants.len() { "_".to_owned() } else { index.to_string() };
        let path = format!("Self::{}", variant.name);
        let content = match &variant.fields {
            FieldList::Unit => {
                bare |= 1 << index;
                format!("return {}", good(&path))
            }
            FieldList::Tuple(1) => format!("::holm_read::Read::read(reader).map({path})?"),
            FieldList::Tuple(count) => tuple(&path, *count),
            FieldList::Named(fields) => built(&path, fields, variant.attributes.rename_all)?,
        };
        let _ = write!(arms, "{pattern} => {content}, ");
    }
    Ok(format!(
        "static TAGS: ::holm_read::Tags = ::holm_read::Tags {{ names: &[{names}], bare: {bare} }}; \
         {}",
        chosen(&arms, bare.count_ones() as usize == variants.len())
    ))
}

/// Variants without content end with their name.
fn chosen(arms: &str, all_bare: bool) -> String {
    if all_bare {
        return good(&format!(
            "match reader.variant(&TAGS)? {{ {} }}",
            arms.replace(&format!("return {OK}"), "")
        ));
    }
    format!("let value = match reader.variant(&TAGS)? {{ {arms} }}; reader.end_variant()?; {}", good("value"))
}

/// A block that reads a list of a fixed length.
fn tuple(path: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("item_{index}")).collect();
    let names = names.join(", ");
    format!("{{ let ({names}) = ::holm_read::Read::read(reader)?; {path}({names}) }}")
}

fn good(expression: &str) -> String {
    format!("{OK}({expression})")
}
