//! Generates the code that replaces the function. Options are parsed in `options.rs`, and the
//! function is checked in `signature.rs`; nothing is refused here. The generated code may name only
//! paths below the runtime and `::core` or `::std`, because a user's module may shadow everything
//! else.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, Item, Path, Result, ReturnType, ext::IdentExt, parse_quote, spanned::Spanned};

use crate::{
    options::{ToolFlag, ToolOptions},
    parameter::{ParameterRole, ToolParameter},
    signature::ToolSignature,
};

/// Generates the tool for a function.
pub(crate) fn tool(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut read = ToolOptions::default();
    syn::parse::Parser::parse2(syn::meta::parser(|meta| read.read(&meta)), options)?;
    let signature = ToolSignature::read(syn::parse2::<Item>(item)?)?;
    signature.check_needs(&read.needs)?;
    Ok(ToolExpansion { options: read, signature }.all())
}

struct ToolExpansion {
    options: ToolOptions,
    signature: ToolSignature,
}

impl ToolExpansion {
    fn all(&self) -> TokenStream {
        let (vis, name) = (&self.signature.function.vis, self.name());
        let (docs, function) = (&self.signature.docs, self.function());
        let runtime = self.runtime();
        let (arguments, declaration, run) = (self.arguments(), self.declaration(), self.run());
        quote! {
            // The type and the function share the name. A unit struct would also be a value of that
            // name, and then no variable in the module could have it.
            #(#docs)*
            #[allow(non_camel_case_types)]
            #[derive(Debug, Clone, Copy)]
            #vis struct #name {}

            #(#docs)*
            #vis fn #name() -> #name {
                #name {}
            }

            impl #name {
                #function
            }

            const _: () = {
                #arguments

                impl #runtime::Tool for #name {
                    fn declaration(&self) -> &#runtime::__private::holm_kernel::ToolSpec {
                        static __DECLARED: ::std::sync::LazyLock<#runtime::__private::holm_kernel::ToolSpec> =
                            ::std::sync::LazyLock::new(|| #declaration);
                        &__DECLARED
                    }

                    fn run(
                        &self,
                        __job: #runtime::ToolInvocation,
                    ) -> #runtime::BoxFuture<'static, #runtime::__private::holm_kernel::ToolOutput> {
                        #run
                    }
                }
            };
        }
    }

    fn name(&self) -> &Ident {
        &self.signature.function.sig.ident
    }

    fn runtime(&self) -> Path {
        self.options.runtime.clone().unwrap_or_else(|| parse_quote!(::holm::runtime))
    }

    /// The function itself, under a name that tests can call.
    fn function(&self) -> TokenStream {
        let mut function = self.signature.function.clone();
        function.sig.ident = Ident::new("call", function.sig.ident.span());
        let doc = format!("The function behind the tool `{}`, to be called directly.", self.name().unraw());
        quote! {
            #[doc = #doc]
            // Arguments must be owned, even if the function only reads them.
            #[allow(clippy::needless_pass_by_value, clippy::unused_async)]
            #function
        }
    }

    /// The type of the arguments, unless the function has one type for all of them.
    fn arguments(&self) -> TokenStream {
        let (runtime, parameters) = (self.runtime(), &self.signature.parameters);
        if let Some(all) = parameters.iter().find(|parameter| parameter.role == ParameterRole::All) {
            let ty = &all.ty;
            return quote!(type __Arguments = #ty;);
        }
        let fields = parameters.iter().filter_map(ToolParameter::field);
        let path = quote!(#runtime).to_string().replace(' ', "");
        let (serde, schemars) = (format!("{path}::__private::serde"), format!("{path}::__private::schemars"));
        quote! {
            #[derive(#runtime::__private::serde::Deserialize, #runtime::__private::schemars::JsonSchema)]
            #[serde(crate = #serde)]
            #[schemars(crate = #schemars)]
            struct __Arguments {
                #(#fields)*
            }
        }
    }

    fn declaration(&self) -> TokenStream {
        let (runtime, options) = (self.runtime(), &self.options);
        let name = options.name.as_ref().map_or_else(|| self.name().unraw().to_string(), syn::LitStr::value);
        let description = &self.signature.description;
        let level = options
            .level
            .as_ref()
            .map(|level| quote!(tool.level = #runtime::__private::holm_grants::Level::#level;));
        let needs = &options.needs;
        let timeout =
            options.timeout_ms.map(|ms| quote!(tool.timeout_ms = ::core::option::Option::Some(#ms);));
        let limit = options
            .result_limit
            .map(|limit| quote!(tool.result_limit = ::core::option::Option::Some(#limit);));
        let flags = self.options.flags.iter().map(|flag| self.flag(*flag));
        quote! {{
            let mut tool = #runtime::__private::holm_kernel::ToolSpec::new(
                #name,
                #description,
                #runtime::schema_of::<__Arguments>(),
            );
            #level
            tool.needs = #runtime::__private::needs(&[#(#needs),*]);
            #timeout
            #limit
            #(#flags)*
            tool
        }}
    }

    fn flag(&self, flag: ToolFlag) -> TokenStream {
        let runtime = self.runtime();
        let kernel = quote!(#runtime::__private::holm_kernel);
        let plausibility = quote!(#runtime::__private::holm_guards::plausibility);
        match flag {
            ToolFlag::Idempotent => quote!(tool.repeat = #kernel::Repeat::Idempotent;),
            ToolFlag::Exclusive => quote!(tool.pace = #kernel::Pace::Exclusive;),
            ToolFlag::Advisory => quote!(tool.vote = #kernel::Vote::Advisory;),
            ToolFlag::Polling => quote!(tool.exemption = #kernel::Exemption::Polling;),
            ToolFlag::AbortsSiblings => quote!(tool.aborts_siblings = true;),
            ToolFlag::MayBeEmpty => quote!(tool.empty = #plausibility::EmptyOutput::Allowed;),
            ToolFlag::ShowsErrors => quote!(tool.error_text = #plausibility::ErrorText::Allowed;),
            ToolFlag::Untrusted => quote!(tool.yields.untrusted = true;),
            ToolFlag::Private => quote!(tool.yields.private = true;),
            ToolFlag::Egress => quote!(tool.yields.egress = true;),
        }
    }

    fn run(&self) -> TokenStream {
        let (runtime, name) = (self.runtime(), self.name());
        let values = self.signature.parameters.iter().map(ToolParameter::value);
        let call = quote!(#name::call(#(#values),*));
        let parsed = quote! {
            let __arguments: __Arguments = match __job.parse() {
                ::core::result::Result::Ok(arguments) => arguments,
                ::core::result::Result::Err(error) => {
                    return ::std::boxed::Box::pin(async move { #runtime::__private::failed_arguments(&error) });
                }
            };
            // A function without parameters ignores its arguments.
            let _ = &__arguments;
        };
        match self.signature.function.sig.asyncness {
            Some(_) => {
                let output = self.output(&quote!(#call.await));
                quote!(#parsed ::std::boxed::Box::pin(async move { #output }))
            }
            None => {
                let output = self.output(&call);
                quote!(#parsed #runtime::__private::block(__job, move |__job| { let _ = &__job; #output }))
            }
        }
    }

    /// Converts the function's return value into an output. A type error is reported
    /// at the return type.
    fn output(&self, call: &TokenStream) -> TokenStream {
        let runtime = self.runtime();
        let span = match &self.signature.function.sig.output {
            ReturnType::Default => self.name().span(),
            ReturnType::Type(_, ty) => ty.span(),
        };
        let returned = quote!(let mut __returned = #runtime::__private::ReturnValue(::core::option::Option::Some(#call)););
        let output = quote_spanned!(span=> (&mut &mut &mut &mut __returned).output());
        quote! {
            #[allow(unused_imports)]
            use #runtime::__private::{AsAnything as _, AsData as _, AsOutput as _, AsResult as _};
            #returned
            #output
        }
    }
}
