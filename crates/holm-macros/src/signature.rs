//! Checks that a function can be a tool, and that its needs name arguments that it has. Single
//! parameters are read in `parameter.rs`, options in `options.rs`. Every refusal is an error at its
//! place that says what to write instead.

use holm_grants::NeedTemplate;
use proc_macro2::Span;
use quote::ToTokens;
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, Item, ItemFn, Lit, LitStr, Meta, Result, ext::IdentExt,
    spanned::Spanned,
};

use crate::{
    options,
    parameter::{ParameterRole, ToolParameter},
};

/// A function that can be a tool.
pub(crate) struct ToolSignature {
    /// The function without the attributes that only this macro understands.
    pub(crate) function: ItemFn,
    pub(crate) parameters: Vec<ToolParameter>,
    pub(crate) description: String,
    /// Doc comments for the tool's own documentation.
    pub(crate) docs: Vec<Attribute>,
}

impl ToolSignature {
    pub(crate) fn read(item: Item) -> Result<Self> {
        let Item::Fn(mut function) = item else {
            let text = "`#[tool]` must be on a function; for a tool with state, implement `TypedTool`";
            return Err(Error::new(item.span(), text));
        };
        refuse(&function)?;
        let docs: Vec<Attribute> =
            function.attrs.extract_if(.., |attribute| attribute.path().is_ident("doc")).collect();
        let description = text_of(&docs);
        if description.is_empty() {
            return Err(Error::new(
                function.sig.ident.span(),
                "write a doc comment above the function: the model reads it to know what the tool does",
            ));
        }
        let mut parameters = Vec::new();
        for input in &mut function.sig.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    let text = "a tool is a free function; for a tool with state implement `TypedTool`";
                    return Err(Error::new(receiver.span(), text));
                }
                FnArg::Typed(typed) => parameters.push(ToolParameter::read(typed)?),
            }
        }
        let all = parameters.iter().find(|parameter| parameter.role == ParameterRole::All);
        let argument = parameters.iter().find(|parameter| parameter.role == ParameterRole::Argument);
        if let (Some(all), Some(argument)) = (all, argument) {
            let text = format!("`{}` already takes all arguments; make this a field of it", all.ident);
            return Err(Error::new(argument.ident.span(), text));
        }
        Ok(Self { function, parameters, description, docs })
    }

    /// Checks that every argument named in a need exists.
    pub(crate) fn check_needs(&self, needs: &[LitStr]) -> Result<()> {
        if self.parameters.iter().any(|parameter| parameter.role == ParameterRole::All) {
            // Only the type knows the names. The toolbox checks them when it is built.
            return Ok(());
        }
        let arguments = self.parameters.iter().filter(|parameter| parameter.role == ParameterRole::Argument);
        let names: Vec<String> = arguments.map(|parameter| parameter.ident.unraw().to_string()).collect();
        for need in needs {
            let template: NeedTemplate = options::template(need)?;
            if let Some(unknown) = template.arguments().find(|name| !names.iter().any(|known| known == name))
            {
                let known_names = if names.is_empty() { "none".into() } else { names.join(", ") };
                let text =
                    format!("the function has no argument `{unknown}`; its arguments are: {known_names}");
                return Err(Error::new(need.span(), text));
            }
        }
        Ok(())
    }
}

fn refuse(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    let refused: Option<(Span, &str)> = if !signature.generics.params.is_empty() {
        let text = "a tool cannot be generic: its schema needs concrete types; write one function per type";
        Some((signature.generics.span(), text))
    } else if let Some(variadic) = &signature.variadic {
        Some((variadic.span(), "a tool cannot take any number of arguments; take a `Vec`"))
    } else if let Some(constness) = &signature.constness {
        Some((constness.span(), "a tool cannot be `const`; leave the word out"))
    } else if let Some(abi) = &signature.abi {
        Some((abi.span(), "a tool cannot be `extern`; write a plain function that calls it"))
    } else if signature.safety.to_token_stream().to_string() == "unsafe" {
        Some((
            signature.safety.span(),
            "a model cannot keep the promises of an `unsafe` function; make it safe",
        ))
    } else {
        None
    };
    refused.map_or(Ok(()), |(span, text)| Err(Error::new(span, text)))
}

/// The text of doc comments, as people wrote it.
fn text_of(docs: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        Meta::Path(_) | Meta::List(_) => None,
    };
    let lines: Vec<String> = docs.iter().filter_map(line).collect();
    let lines: Vec<&str> = lines
        .iter()
        .flat_map(|text| text.split('\n'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect();
    lines.join("\n").trim().to_owned()
}
