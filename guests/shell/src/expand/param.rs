//! Parameter expansion: `$name` and all forms of `${…}`.

use brush_parser::word::{
    self, Parameter, ParameterExpr as Expr, ParameterTestType as Test, ParameterTransformOp as Transform,
    SpecialParameter, SubstringMatchKind as Match,
};

use super::parts::WordPart;
use super::pattern::ShellPattern;
use super::quote::{ansi, quote};
use super::word::{QuoteContext, grammar, loose};
use crate::shell::{ShellFlow, ShellState};

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ParameterValue {
    Nothing,
    One(String),
    /// Several, to be joined to one in quotes or not.
    Many(Vec<String>, JoinMode),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JoinMode {
    Yes,
    No,
}

impl ParameterValue {
    fn many(values: Vec<String>, concatenate: bool) -> Self {
        Self::Many(values, if concatenate { JoinMode::Yes } else { JoinMode::No })
    }

    fn map(self, change: impl Fn(String) -> String) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::One(text) => Self::One(change(text)),
            Self::Many(texts, joined) => Self::Many(texts.into_iter().map(change).collect(), joined),
        }
    }

    /// Whether it counts as unset.
    fn absent(&self, test: &Test) -> bool {
        match (self, test) {
            (Self::Nothing, _) => true,
            (Self::One(text), Test::UnsetOrNull) => text.is_empty(),
            (Self::Many(texts, _), Test::UnsetOrNull) => texts.iter().all(String::is_empty),
            (Self::Many(texts, _), Test::Unset) => texts.is_empty(),
            (Self::One(_), Test::Unset) => false,
        }
    }
}

impl ShellState {
    pub(super) async fn parameter(
        &mut self,
        expr: &Expr,
        quoting: QuoteContext,
        parts: &mut Vec<WordPart>,
    ) -> Result<(), ShellFlow> {
        let got = match expr {
            Expr::Parameter { parameter, indirect } => {
                let got = self.resolve(parameter, *indirect).await?;
                if got == ParameterValue::Nothing && self.options.nounset {
                    return self.unbound(&shown(parameter)).await;
                }
                got
            }
            Expr::UseDefaultValues { parameter, indirect, test_type, default_value } => {
                let got = self.resolve(parameter, *indirect).await?;
                if got.absent(test_type) {
                    return self.alternative(default_value.as_deref(), quoting, parts).await;
                }
                got
            }
            Expr::AssignDefaultValues { parameter, indirect, test_type, default_value } => {
                let got = self.resolve(parameter, *indirect).await?;
                if got.absent(test_type) {
                    let text = self.expand_text(default_value.as_deref().unwrap_or_default()).await?;
                    self.assign_parameter(parameter, text.clone()).await?;
                    ParameterValue::One(text)
                } else {
                    got
                }
            }
            Expr::IndicateErrorIfNullOrUnset { parameter, indirect, test_type, error_message } => {
                let got = self.resolve(parameter, *indirect).await?;
                if got.absent(test_type) {
                    let said = self.expand_text(error_message.as_deref().unwrap_or_default()).await?;
                    let said = if said.is_empty() { "parameter null or not set".to_owned() } else { said };
                    self.complain(&format!("shell: {}: {said}", shown(parameter))).await;
                    return Err(ShellFlow::Exit(127));
                }
                got
            }
            Expr::UseAlternativeValue { parameter, indirect, test_type, alternative_value } => {
                if self.resolve(parameter, *indirect).await?.absent(test_type) {
                    return Ok(());
                }
                return self.alternative(alternative_value.as_deref(), quoting, parts).await;
            }
            other => self.changed(other).await?,
        };
        self.emit(got, quoting, parts);
        Ok(())
    }

    /// The forms that change the value.
    async fn changed(&mut self, expr: &Expr) -> Result<ParameterValue, ShellFlow> {
        Ok(match expr {
            Expr::ParameterLength { parameter, indirect } => {
                let length = match self.resolve(parameter, *indirect).await? {
                    ParameterValue::Nothing => 0,
                    ParameterValue::One(text) => text.chars().count(),
                    ParameterValue::Many(texts, _) => texts.len(),
                };
                ParameterValue::One(length.to_string())
            }
            Expr::RemoveSmallestSuffixPattern { parameter, indirect, pattern }
            | Expr::RemoveLargestSuffixPattern { parameter, indirect, pattern }
            | Expr::RemoveSmallestPrefixPattern { parameter, indirect, pattern }
            | Expr::RemoveLargestPrefixPattern { parameter, indirect, pattern } => {
                let got = self.resolve(parameter, *indirect).await?;
                let pattern =
                    ShellPattern::new(&self.expand_pattern(pattern.as_deref().unwrap_or_default()).await?);
                got.map(|text| strip(&text, &pattern, expr))
            }
            Expr::ReplaceSubstring { parameter, indirect, pattern, replacement, match_kind } => {
                let got = self.resolve(parameter, *indirect).await?;
                let pattern = ShellPattern::new(&self.expand_pattern(pattern).await?);
                let by = self.expand_text(replacement.as_deref().unwrap_or_default()).await?;
                got.map(|text| replace(&text, &pattern, &by, match_kind))
            }
            Expr::Substring { parameter, indirect, offset, length } => {
                let offset = self.arithmetic(&offset.value).await?;
                let length = match length {
                    Some(length) => Some(self.arithmetic(&length.value).await?),
                    None => None,
                };
                self.substring(parameter, *indirect, offset, length).await?
            }
            Expr::UppercaseFirstChar { parameter, indirect, .. } => {
                self.resolve(parameter, *indirect).await?.map(|text| first(&text, str::to_uppercase))
            }
            Expr::LowercaseFirstChar { parameter, indirect, .. } => {
                self.resolve(parameter, *indirect).await?.map(|text| first(&text, str::to_lowercase))
            }
            Expr::UppercasePattern { parameter, indirect, pattern } => {
                let got = self.resolve(parameter, *indirect).await?;
                let only = self.only(pattern.as_deref()).await?;
                got.map(|text| cased(&text, only.as_ref(), |c| c.to_uppercase().collect()))
            }
            Expr::LowercasePattern { parameter, indirect, pattern } => {
                let got = self.resolve(parameter, *indirect).await?;
                let only = self.only(pattern.as_deref()).await?;
                got.map(|text| cased(&text, only.as_ref(), |c| c.to_lowercase().collect()))
            }
            Expr::Transform { parameter, indirect, op } => {
                let name = shown(parameter);
                self.resolve(parameter, *indirect).await?.map(|text| transform(op, &name, &text))
            }
            Expr::VariableNames { prefix, concatenate } => {
                let names = self.vars.names().into_iter().filter(|name| name.starts_with(prefix)).collect();
                ParameterValue::many(names, *concatenate)
            }
            Expr::MemberKeys { variable_name, concatenate } => {
                ParameterValue::many(self.vars.keys(variable_name), *concatenate)
            }
            Expr::Parameter { .. }
            | Expr::UseDefaultValues { .. }
            | Expr::AssignDefaultValues { .. }
            | Expr::IndicateErrorIfNullOrUnset { .. }
            | Expr::UseAlternativeValue { .. } => ParameterValue::Nothing,
        })
    }

    async fn only(&mut self, pattern: Option<&str>) -> Result<Option<ShellPattern>, ShellFlow> {
        match pattern.filter(|pattern| !pattern.is_empty()) {
            Some(pattern) => Ok(Some(ShellPattern::new(&self.expand_pattern(pattern).await?))),
            None => Ok(None),
        }
    }

    async fn unbound<T>(&mut self, name: &str) -> Result<T, ShellFlow> {
        self.complain(&format!("shell: {name}: unbound variable")).await;
        Err(ShellFlow::Exit(127))
    }

    /// The word after `:-` or `:+`, in the quotes of the whole.
    async fn alternative(
        &mut self,
        word: Option<&str>,
        quoting: QuoteContext,
        parts: &mut Vec<WordPart>,
    ) -> Result<(), ShellFlow> {
        let word = word.unwrap_or_default();
        for part in self.parts(word, quoting).await? {
            parts.push(match (part, quoting) {
                (WordPart::Plain(text) | WordPart::Loose(text), _) => loose(text, quoting),
                (part @ (WordPart::Quoted(_) | WordPart::Break), _) => part,
            });
        }
        Ok(())
    }

    fn emit(&self, got: ParameterValue, quoting: QuoteContext, parts: &mut Vec<WordPart>) {
        match got {
            ParameterValue::Nothing => {}
            ParameterValue::One(text) => parts.push(loose(text, quoting)),
            ParameterValue::Many(texts, JoinMode::Yes) if quoting == QuoteContext::Quoted => {
                let separators = self.vars.text("IFS").unwrap_or_else(|| " ".to_owned());
                let glue = separators.chars().next().map(String::from).unwrap_or_default();
                parts.push(WordPart::Quoted(texts.join(&glue)));
            }
            ParameterValue::Many(texts, _) => {
                for (index, text) in texts.into_iter().enumerate() {
                    if index > 0 {
                        parts.push(WordPart::Break);
                    }
                    parts.push(loose(text, quoting));
                }
            }
        }
    }

    async fn resolve(&mut self, parameter: &Parameter, indirect: bool) -> Result<ParameterValue, ShellFlow> {
        let got = self.direct(parameter).await?;
        if !indirect {
            return Ok(got);
        }
        let ParameterValue::One(name) = got else { return Ok(ParameterValue::Nothing) };
        match word::parse_parameter(&name, &grammar()) {
            Ok(parameter) => self.direct(&parameter).await,
            Err(_) => Ok(ParameterValue::Nothing),
        }
    }

    async fn direct(&mut self, parameter: &Parameter) -> Result<ParameterValue, ShellFlow> {
        let found = match parameter {
            Parameter::Positional(0) => Some("shell".to_owned()),
            Parameter::Positional(number) => {
                usize::try_from(*number).ok().and_then(|number| self.args.get(number - 1)).cloned()
            }
            Parameter::Special(special) => return Ok(self.special_parameter(special)),
            Parameter::Named(name) => match self.special(name) {
                Some(text) => Some(text),
                None => self.vars.text(name),
            },
            Parameter::NamedWithIndex { name, index } if self.vars.is_map(name) => {
                let key = self.expand_text(index).await?;
                self.vars.member(name, &key)
            }
            Parameter::NamedWithIndex { name, index } => {
                let index = self.arithmetic(index).await?;
                self.vars.element(name, index)
            }
            Parameter::NamedWithAllIndices { name, concatenate } => {
                return Ok(ParameterValue::many(self.vars.elements(name), *concatenate));
            }
        };
        Ok(found.map_or(ParameterValue::Nothing, ParameterValue::One))
    }

    fn special_parameter(&self, special: &SpecialParameter) -> ParameterValue {
        ParameterValue::One(match special {
            SpecialParameter::AllPositionalParameters { concatenate } => {
                return ParameterValue::many(self.args.clone(), *concatenate);
            }
            SpecialParameter::PositionalParameterCount => self.args.len().to_string(),
            SpecialParameter::LastExitStatus => self.status.to_string(),
            SpecialParameter::CurrentOptionFlags => self.options.letters(),
            // There are no processes; a constant number serves scripts that build names from it.
            SpecialParameter::ProcessId | SpecialParameter::LastBackgroundProcessId => "1".to_owned(),
            SpecialParameter::ShellName => "shell".to_owned(),
        })
    }

    async fn assign_parameter(&mut self, parameter: &Parameter, text: String) -> Result<(), ShellFlow> {
        match parameter {
            Parameter::Named(name) => self.vars.set_text(name, text),
            Parameter::NamedWithIndex { name, index } if self.vars.is_map(name) => {
                let key = self.expand_text(index).await?;
                self.vars.set_member(name, &key, text);
            }
            Parameter::NamedWithIndex { name, index } => {
                let index = self.arithmetic(index).await?;
                let _ = self.vars.set_element(name, index, text);
            }
            Parameter::Positional(_) | Parameter::Special(_) | Parameter::NamedWithAllIndices { .. } => {
                self.complain(&format!("shell: {}: cannot assign in this way", shown(parameter))).await;
                return Err(ShellFlow::Exit(1));
            }
        }
        Ok(())
    }

    async fn substring(
        &mut self,
        parameter: &Parameter,
        indirect: bool,
        offset: i64,
        length: Option<i64>,
    ) -> Result<ParameterValue, ShellFlow> {
        let positional =
            matches!(parameter, Parameter::Special(SpecialParameter::AllPositionalParameters { .. }));
        Ok(match self.resolve(parameter, indirect).await? {
            ParameterValue::Nothing => ParameterValue::Nothing,
            ParameterValue::One(text) => {
                let chars: Vec<char> = text.chars().collect();
                ParameterValue::One(slice(&chars, offset, length).iter().collect())
            }
            ParameterValue::Many(mut texts, joined) => {
                // Arguments count from 1, and 0 is the shell itself.
                if positional {
                    texts.insert(0, "shell".to_owned());
                }
                ParameterValue::Many(slice(&texts, offset, length).to_vec(), joined)
            }
        })
    }
}

fn shown(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Positional(number) => number.to_string(),
        Parameter::Special(special) => special.to_string(),
        Parameter::Named(name)
        | Parameter::NamedWithIndex { name, .. }
        | Parameter::NamedWithAllIndices { name, .. } => name.clone(),
    }
}

/// A part by offset and length; negative ones count from the end.
fn slice<T>(items: &[T], offset: i64, length: Option<i64>) -> &[T] {
    let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 { count.saturating_add(offset) } else { offset };
    if start < 0 {
        return &[];
    }
    let end = match length {
        None => count,
        Some(length) if length < 0 => count.saturating_add(length),
        Some(length) => start.saturating_add(length),
    };
    let (start, end) = (start.min(count), end.clamp(start.min(count), count));
    let place = |at: i64| usize::try_from(at).unwrap_or(0);
    items.get(place(start)..place(end)).unwrap_or_default()
}

/// Takes the shortest or longest beginning or end that matches.
fn strip(text: &str, pattern: &ShellPattern, expr: &Expr) -> String {
    let chars: Vec<char> = text.chars().collect();
    let count = chars.len();
    let prefix = |at: &usize| chars.get(..*at).is_some_and(|part| pattern.matches_chars(part));
    let suffix = |at: &usize| chars.get(*at..).is_some_and(|part| pattern.matches_chars(part));
    let kept = match expr {
        Expr::RemoveSmallestPrefixPattern { .. } => (0..=count).find(prefix).map(|at| at..count),
        Expr::RemoveLargestPrefixPattern { .. } => (0..=count).rev().find(prefix).map(|at| at..count),
        Expr::RemoveSmallestSuffixPattern { .. } => (0..=count).rev().find(suffix).map(|at| 0..at),
        _ => (0..=count).find(suffix).map(|at| 0..at),
    };
    chars.get(kept.unwrap_or(0..count)).unwrap_or_default().iter().collect()
}

fn replace(text: &str, pattern: &ShellPattern, by: &str, kind: &Match) -> String {
    let chars: Vec<char> = text.chars().collect();
    let count = chars.len();
    let longest = |from: usize| {
        (from..=count).rev().find(|&to| chars.get(from..to).is_some_and(|part| pattern.matches_chars(part)))
    };
    let rest = |from: usize| chars.get(from..).unwrap_or_default().iter().collect::<String>();
    match kind {
        Match::Prefix => longest(0).map_or_else(|| text.to_owned(), |to| format!("{by}{}", rest(to))),
        Match::Suffix => {
            let from =
                (0..=count).find(|&from| chars.get(from..).is_some_and(|part| pattern.matches_chars(part)));
            let head = |from: usize| chars.get(..from).unwrap_or_default().iter().collect::<String>();
            from.map_or_else(|| text.to_owned(), |from| format!("{}{by}", head(from)))
        }
        Match::FirstOccurrence | Match::Anywhere => {
            let (mut out, mut at) = (String::new(), 0);
            while let Some(c) = chars.get(at) {
                match longest(at).filter(|&to| to > at) {
                    Some(to) => {
                        out.push_str(by);
                        at = to;
                        if matches!(kind, Match::FirstOccurrence) {
                            break;
                        }
                    }
                    None => {
                        out.push(*c);
                        at += 1;
                    }
                }
            }
            out + &rest(at)
        }
    }
}

fn first(text: &str, change: impl Fn(&str) -> String) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |c| format!("{}{}", change(c.encode_utf8(&mut [0; 4])), chars.as_str()))
}

fn cased(text: &str, only: Option<&ShellPattern>, change: impl Fn(char) -> String) -> String {
    let meant = |c: char| only.is_none_or(|pattern| pattern.matches_chars(&[c]));
    text.chars().map(|c| if meant(c) { change(c) } else { c.to_string() }).collect()
}

fn transform(op: &Transform, name: &str, text: &str) -> String {
    match op {
        Transform::ToUpperCase => text.to_uppercase(),
        Transform::ToLowerCase => text.to_lowercase(),
        Transform::CapitalizeInitial => first(text, str::to_uppercase),
        Transform::ExpandEscapeSequences => ansi(text),
        Transform::Quoted | Transform::PossiblyQuoteWithArraysExpanded { .. } => quote(text),
        Transform::ToAssignmentLogic => format!("{name}={}", quote(text)),
        Transform::PromptExpand | Transform::ToAttributeFlags => String::new(),
    }
}
