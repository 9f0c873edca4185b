//! Parses the options in `#[tool(…)]`. What they become is in `expand.rs`. An unknown or repeated
//! option is an error at its place, with the list of all; a new option belongs in `ALL`, in
//! `ToolOptions::read` and in the table of `lib.rs`.

use holm_grants::NeedTemplate;
use syn::{
    Error, Ident, LitInt, LitStr, Path, Result, ext::IdentExt, meta::ParseNestedMeta, parenthesized,
    parse::ParseBuffer,
};

/// All options, for the error message about an unknown one.
const ALL: &str = "level, needs, name, idempotent, exclusive, advisory, polling, aborts_siblings, may_be_empty, \
                   shows_errors, untrusted, private, egress, timeout, result_limit, crate";

/// The longest tool name that every provider accepts.
const LONGEST_NAME: usize = 64;

/// The options of one tool.
#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) level: Option<Ident>,
    pub(crate) needs: Vec<LitStr>,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) result_limit: Option<u64>,
    pub(crate) runtime: Option<Path>,
    /// Options without a value.
    pub(crate) flags: Vec<ToolFlag>,
    seen: Vec<String>,
}

/// An option without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolFlag {
    Idempotent,
    Exclusive,
    Advisory,
    Polling,
    AbortsSiblings,
    MayBeEmpty,
    ShowsErrors,
    Untrusted,
    Private,
    Egress,
}

impl ToolFlag {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "idempotent" => Self::Idempotent,
            "exclusive" => Self::Exclusive,
            "advisory" => Self::Advisory,
            "polling" => Self::Polling,
            "aborts_siblings" => Self::AbortsSiblings,
            "may_be_empty" => Self::MayBeEmpty,
            "shows_errors" => Self::ShowsErrors,
            "untrusted" => Self::Untrusted,
            "private" => Self::Private,
            "egress" => Self::Egress,
            _ => return None,
        })
    }
}

impl ToolOptions {
    pub(crate) fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let Some(ident) = meta.path.get_ident() else {
            return Err(meta.error(format!("no option of a tool; there are: {ALL}")));
        };
        let name = ident.unraw().to_string();
        if self.seen.contains(&name) {
            return Err(meta.error(format!("`{name}` is given twice; remove one")));
        }
        match name.as_str() {
            "name" => self.name = Some(tool_name(meta.value()?.parse()?)?),
            "level" => self.level = Some(level(meta)?),
            "needs" => self.needs = needs(meta)?,
            "timeout" => self.timeout_ms = Some(millis(&meta.value()?.parse()?)?),
            "result_limit" => self.result_limit = Some(meta.value()?.parse::<LitInt>()?.base10_parse()?),
            "crate" => {
                self.runtime = Some(meta.value()?.parse::<LitStr>()?.parse_with(Path::parse_mod_style)?);
            }
            other => match ToolFlag::named(other) {
                Some(flag) => self.flags.push(flag),
                None => {
                    return Err(
                        meta.error(format!("no option of a tool is called `{other}`; there are: {ALL}"))
                    );
                }
            },
        }
        self.seen.push(name);
        Ok(())
    }
}

fn tool_name(name: LitStr) -> Result<LitStr> {
    let value = name.value();
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if value.is_empty() || value.len() > LONGEST_NAME || !value.chars().all(good) {
        let text = "providers take 1 to 64 letters, digits, `_` and `-` in a tool's name";
        return Err(Error::new(name.span(), text));
    }
    Ok(name)
}

fn level(meta: &ParseNestedMeta<'_>) -> Result<Ident> {
    let wrong = "a level is one of `none`, `read_only`, `write`, `execute`, without quotes";
    let value = meta.value()?;
    let word: Ident = value.call(Ident::parse_any).map_err(|error| Error::new(error.span(), wrong))?;
    let variant = match word.to_string().as_str() {
        "none" => "None",
        "read_only" => "ReadOnly",
        "write" => "Write",
        "execute" => "Execute",
        _ => return Err(Error::new(word.span(), wrong)),
    };
    Ok(Ident::new(variant, word.span()))
}

fn needs(meta: &ParseNestedMeta<'_>) -> Result<Vec<LitStr>> {
    if !meta.input.peek(syn::token::Paren) {
        return Err(meta.error("write the needs in parentheses: `needs(\"read:{path}\", \"write:out/\")`"));
    }
    let list;
    parenthesized!(list in meta.input);
    let list = list.parse_terminated(ParseBuffer::parse::<LitStr>, syn::Token![,])?;
    let list: Vec<LitStr> = list.into_iter().collect();
    for need in &list {
        template(need)?;
    }
    Ok(list)
}

/// Parses a literal as a template.
pub(crate) fn template(need: &LitStr) -> Result<NeedTemplate> {
    need.value().parse().map_err(|error| {
        Error::new(need.span(), format!("not a need: {error}; a need is a grant such as `read:{{path}}`"))
    })
}

fn millis(text: &LitStr) -> Result<u64> {
    let value = text.value();
    let wrong = || {
        Error::new(text.span(), "a time is a number and a unit: `\"500ms\"`, `\"30s\"`, `\"5m\"`, `\"1h\"`")
    };
    let split = value.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = value.split_at(split);
    let unit = match unit.trim() {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let millis = number.checked_mul(unit).ok_or_else(wrong)?;
    if millis == 0 {
        Err(Error::new(text.span(), "no call ends in no time; give it at least `1ms`"))
    } else {
        Ok(millis)
    }
}
