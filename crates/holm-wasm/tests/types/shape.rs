//! From a Rust type with serde's derive to a TypeScript type.

use std::collections::BTreeMap;

use syn::{
    Attribute, Expr, Fields, GenericArgument, Item, ItemEnum, ItemStruct, Lit, Meta, PathArguments, Type,
    Variant,
};

/// What Rust names mean.
pub(crate) struct Names(pub(crate) BTreeMap<String, String>);

/// Whether an item is the type of this name.
pub(crate) fn is_named(item: &Item, name: &str) -> bool {
    match item {
        Item::Struct(item) => item.ident == name,
        Item::Enum(item) => item.ident == name,
        _ => false,
    }
}

/// The declaration of one type.
pub(crate) fn item(item: &Item, name: &str, names: &Names) -> String {
    match item {
        Item::Struct(item) => structure(item, name, names),
        Item::Enum(item) => enumeration(item, name, names),
        _ => String::new(),
    }
}

fn structure(item: &ItemStruct, name: &str, names: &Names) -> String {
    let all_optional = serde(&item.attrs).iter().any(|word| word == "default");
    let members = members(&item.fields, all_optional, "  ", names);
    format!("{}export interface {name} {{\n{members}}}\n", doc(&item.attrs, ""))
}

fn enumeration(item: &ItemEnum, name: &str, names: &Names) -> String {
    let variants: Vec<String> = item.variants.iter().map(|variant| variant_of(variant, names)).collect();
    format!("{}export type {name} =\n{};\n", doc(&item.attrs, ""), variants.join("\n"))
}

/// Externally tagged: a word, or an object of one member.
fn variant_of(variant: &Variant, names: &Names) -> String {
    let tag = snake(&variant.ident.to_string());
    let about = doc(&variant.attrs, "  ");
    match &variant.fields {
        Fields::Unit => format!("{about}  | '{tag}'"),
        Fields::Unnamed(fields) => {
            let inner: Vec<String> = fields.unnamed.iter().map(|field| of(&field.ty, names)).collect();
            format!("{about}  | {{ {tag}: {} }}", inner.join(", "))
        }
        fields @ Fields::Named(_) => {
            format!(
                "{about}  | {{\n      {tag}: {{\n{}      }};\n    }}",
                members(fields, false, "        ", names)
            )
        }
    }
}

fn members(fields: &Fields, all_optional: bool, indent: &str, names: &Names) -> String {
    let mut out = String::new();
    for field in fields {
        let words = serde(&field.attrs);
        let optional = all_optional || words.iter().any(|word| word == "default");
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let mark = if optional { "?" } else { "" };
        out += &doc(&field.attrs, indent);
        out += &format!("{indent}{name}{mark}: {};\n", of(&field.ty, names));
    }
    out
}

fn of(ty: &Type, names: &Names) -> String {
    match ty {
        Type::Reference(inner) => of(&inner.elem, names),
        Type::Slice(inner) => list(&of(&inner.elem, names)),
        Type::Tuple(inner) => {
            format!("[{}]", inner.elems.iter().map(|ty| of(ty, names)).collect::<Vec<_>>().join(", "))
        }
        Type::Path(path) => {
            let last = path.path.segments.last().unwrap();
            let arguments: Vec<String> = match &last.arguments {
                PathArguments::AngleBracketed(inner) => inner
                    .args
                    .iter()
                    .filter_map(|argument| match argument {
                        GenericArgument::Type(ty) => Some(of(ty, names)),
                        _ => None,
                    })
                    .collect(),
                _ => Vec::new(),
            };
            named(&last.ident.to_string(), &arguments, names)
        }
        _ => panic!("a type that is not foreseen"),
    }
}

fn named(name: &str, arguments: &[String], names: &Names) -> String {
    match (name, arguments) {
        ("Arc" | "Box", [inner]) => inner.clone(),
        ("Vec" | "BTreeSet", [inner]) => list(inner),
        ("Option", [inner]) => format!("{inner} | null"),
        ("BTreeMap", [_, value]) => format!("Record<string, {value}>"),
        _ => names
            .0
            .get(name)
            .cloned()
            .unwrap_or_else(|| panic!("{name} has no TypeScript name; add it to SOURCES")),
    }
}

fn list(inner: &str) -> String {
    if inner.contains(' ') { format!("({inner})[]") } else { format!("{inner}[]") }
}

/// The words of `#[serde(…)]`, without what skipping depends on.
fn serde(attrs: &[Attribute]) -> Vec<String> {
    let mut words = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        attr.parse_nested_meta(|meta| {
            words.push(meta.path.get_ident().map(ToString::to_string).unwrap_or_default());
            if let Ok(value) = meta.value() {
                let _: Expr = value.parse()?;
            }
            Ok(())
        })
        .unwrap();
    }
    words
}

/// The first sentence of the Rust comment.
fn doc(attrs: &[Attribute], indent: &str) -> String {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attr.meta else { continue };
        let Expr::Lit(literal) = &pair.value else { continue };
        let Lit::Str(text) = &literal.lit else { continue };
        let text = text.value();
        if text.trim().is_empty() {
            break;
        }
        lines.push(text.trim().to_owned());
    }
    if lines.is_empty() {
        return String::new();
    }
    let text = lines.join(" ").replace("[`", "`").replace("`]", "`");
    format!("{indent}/** {text} */\n")
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (place, letter) in name.chars().enumerate() {
        if place > 0 && letter.is_uppercase() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}
