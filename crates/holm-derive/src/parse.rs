//! Parses tokens into an [`TypeItem`]. It supports only the forms of types that Holm uses, because a
//! full Rust parser would cost every build more than it gives.
//!
//! Attributes are read in `attributes.rs`, and code is generated in `write.rs`. Another form of a
//! type is a compile error.

use std::iter::Peekable;

use proc_macro::{Delimiter, TokenStream, TokenTree, token_stream};

use crate::attributes::SerdeAttributes;
use crate::item::{EnumVariant, FieldList, NamedField, TypeBody, TypeItem};

type TokenCursor = Peekable<token_stream::IntoIter>;

/// Parses the type under the derive.
pub(crate) fn item(input: TokenStream) -> Result<TypeItem, String> {
    let mut tokens = input.into_iter().peekable();
    let attributes = attributes(&mut tokens)?;
    visibility(&mut tokens);
    let keyword = word(&mut tokens)?;
    let name = word(&mut tokens)?;
    let lifetime = generics(&mut tokens)?;
    let body = match keyword.as_str() {
        "struct" => TypeBody::Struct(fields(&mut tokens)?),
        "enum" => match tokens.next() {
            Some(TokenTree::Group(group)) => TypeBody::Enum(variants(group.stream())?),
            _ => return Err("derive(Read) expected the variants of the enum".to_owned()),
        },
        other => return Err(format!("derive(Read) knows structs and enums, not `{other}`")),
    };
    Ok(TypeItem { name, lifetime, attributes, body })
}

fn attributes(tokens: &mut TokenCursor) -> Result<SerdeAttributes, String> {
    let mut all = SerdeAttributes::default();
    while is_punct(tokens.peek(), '#') {
        tokens.next();
        let Some(TokenTree::Group(group)) = tokens.next() else { break };
        let mut inside = group.stream().into_iter();
        let is_serde = matches!(inside.next(), Some(TokenTree::Ident(name)) if name.to_string() == "serde");
        if let (true, Some(TokenTree::Group(list))) = (is_serde, inside.next()) {
            all.add(list.stream())?;
        }
    }
    Ok(all)
}

fn visibility(tokens: &mut TokenCursor) {
    if matches!(tokens.peek(), Some(TokenTree::Ident(word)) if word.to_string() == "pub") {
        tokens.next();
        if matches!(tokens.peek(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
        {
            tokens.next();
        }
    }
}

fn word(tokens: &mut TokenCursor) -> Result<String, String> {
    match tokens.next() {
        Some(TokenTree::Ident(word)) => Ok(word.to_string()),
        _ => Err("derive(Read) expected a name".to_owned()),
    }
}

/// Parses one lifetime, or no generics at all.
fn generics(tokens: &mut TokenCursor) -> Result<Option<String>, String> {
    if !is_punct(tokens.peek(), '<') {
        return Ok(None);
    }
    let inside: Vec<String> = tokens
        .by_ref()
        .skip(1)
        .take_while(|token| !is_punct(Some(token), '>'))
        .map(|token| token.to_string())
        .collect();
    match inside.as_slice() {
        [quote, name] if quote == "'" => Ok(Some(format!("'{name}"))),
        _ => Err("derive(Read) knows types with one lifetime or without parameters".to_owned()),
    }
}

fn fields(tokens: &mut TokenCursor) -> Result<FieldList, String> {
    match tokens.peek() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let named = named(group.stream())?;
            tokens.next();
            Ok(FieldList::Named(named))
        }
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            let mut inside = group.stream().into_iter().peekable();
            let mut count = 0;
            while inside.peek().is_some() {
                attributes(&mut inside)?;
                visibility(&mut inside);
                if !until_comma(&mut inside).is_empty() {
                    count += 1;
                }
            }
            tokens.next();
            Ok(FieldList::Tuple(count))
        }
        _ => Ok(FieldList::Unit),
    }
}

fn named(stream: TokenStream) -> Result<Vec<NamedField>, String> {
    let mut tokens = stream.into_iter().peekable();
    let mut all = Vec::new();
    while tokens.peek().is_some() {
        let attributes = attributes(&mut tokens)?;
        visibility(&mut tokens);
        let name = word(&mut tokens)?;
        tokens.next();
        all.push(NamedField { name, kind: until_comma(&mut tokens), attributes });
    }
    Ok(all)
}

fn variants(stream: TokenStream) -> Result<Vec<EnumVariant>, String> {
    let mut tokens = stream.into_iter().peekable();
    let mut all = Vec::new();
    while tokens.peek().is_some() {
        let attributes = attributes(&mut tokens)?;
        let name = word(&mut tokens)?;
        let fields = fields(&mut tokens)?;
        until_comma(&mut tokens);
        all.push(EnumVariant { name, attributes, fields });
    }
    Ok(all)
}

/// The tokens up to the next comma outside of `<…>`, as text. The comma is consumed.
fn until_comma(tokens: &mut TokenCursor) -> String {
    let mut depth = 0_i32;
    let mut taken = TokenStream::new();
    for token in tokens.by_ref() {
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth -= 1,
                ',' if depth == 0 => break,
                _ => {}
            }
        }
        taken.extend([token]);
    }
    taken.to_string()
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}
