//! One parameter of the function: an argument of the call, or a value that the runtime passes.
//!
//! Which parameters a function may have as a whole is checked in `signature.rs`. Values of the
//! runtime are recognised by the last name of their type.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Error, Ident, Pat, PatType, Result, Type, spanned::Spanned};

/// One parameter of a tool's function.
pub(crate) struct ToolParameter {
    pub(crate) role: ParameterRole,
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// Doc comments, and `serde` and `schemars` attributes, for the field
    /// that the parameter becomes.
    pub(crate) attributes: Vec<Attribute>,
}

/// The role of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterRole {
    Argument,
    All,
    Job,
    Progress,
    /// The job's stop token.
    Stop,
}

impl ToolParameter {
    /// Parses a parameter, and removes attributes that a function cannot have.
    pub(crate) fn read(typed: &mut PatType) -> Result<Self> {
        let ident = name(&typed.pat)?;
        owned(&typed.ty, &ident)?;
        let mut role = injected(&typed.ty).unwrap_or(ParameterRole::Argument);
        let mut attributes = Vec::new();
        for attribute in std::mem::take(&mut typed.attrs) {
            if attribute.path().is_ident("arguments") {
                role = ParameterRole::All;
            } else if ["doc", "serde", "schemars"].iter().any(|known| attribute.path().is_ident(known)) {
                attributes.push(attribute);
            } else if attribute.path().is_ident("cfg") {
                return Err(Error::new(
                    attribute.span(),
                    "an argument cannot depend on `cfg`; use two functions",
                ));
            } else {
                typed.attrs.push(attribute);
            }
        }
        Ok(Self { role, ident, ty: (*typed.ty).clone(), attributes })
    }

    /// The field in the type of the arguments, if the parameter is an argument.
    pub(crate) fn field(&self) -> Option<TokenStream> {
        let (attributes, ident, ty) = (&self.attributes, &self.ident, &self.ty);
        (self.role == ParameterRole::Argument).then(|| quote!(#(#attributes)* #ident: #ty,))
    }

    /// The expression that is passed to the function.
    pub(crate) fn value(&self) -> TokenStream {
        let ident = &self.ident;
        match self.role {
            ParameterRole::Argument => quote!(__arguments.#ident),
            ParameterRole::All => quote!(__arguments),
            ParameterRole::Job => quote!(::core::clone::Clone::clone(&__job)),
            ParameterRole::Progress => quote!(::core::clone::Clone::clone(&__job.progress)),
            ParameterRole::Stop => quote!(::core::clone::Clone::clone(&__job.stop)),
        }
    }
}

fn name(pattern: &Pat) -> Result<Ident> {
    match pattern {
        Pat::Ident(pattern) if pattern.subpat.is_none() && pattern.by_ref.is_none() => {
            Ok(pattern.ident.clone())
        }
        other => Err(Error::new(
            other.span(),
            "give the parameter a plain name: the model uses it to say what the value is",
        )),
    }
}

/// Arguments are parsed for every call, so they have nothing to borrow from.
fn owned(ty: &Type, ident: &Ident) -> Result<()> {
    let instead = match ty {
        Type::Reference(reference) => match reference.elem.to_token_stream().to_string().as_str() {
            "str" => "`String`".to_owned(),
            "Path" | "std :: path :: Path" => "`PathBuf`".to_owned(),
            other => match &*reference.elem {
                Type::Slice(slice) => format!("`Vec<{}>`", slice.elem.to_token_stream()),
                _ => format!("`{}`", other.replace(' ', "")),
            },
        },
        Type::ImplTrait(_) => "a type that can be parsed".to_owned(),
        _ => return Ok(()),
    };
    Err(Error::new(
        ty.span(),
        format!("an argument is parsed for every call and has to be owned: make `{ident}` {instead}"),
    ))
}

fn injected(ty: &Type) -> Option<ParameterRole> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if !last.arguments.is_empty() {
        return None;
    }
    match last.ident.to_string().as_str() {
        "ToolInvocation" => Some(ParameterRole::Job),
        "ProgressReporter" => Some(ParameterRole::Progress),
        "CancellationToken" => Some(ParameterRole::Stop),
        _ => None,
    }
}
