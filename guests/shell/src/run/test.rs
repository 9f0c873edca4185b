//! `[[ … ]]`, and the code that `test` shares with it.

use std::fs;

use brush_parser::ast::{
    BinaryPredicate as Binary, ExtendedTestExpr as Expr, TestExpr, UnaryPredicate as Unary,
};
use regex::Regex;

use crate::io::LocalFuture;
use crate::shell::{ShellFlow, ShellState, CommandResult, VariableValue};

impl ShellState {
    pub(crate) async fn extended_test(&mut self, expr: &Expr) -> CommandResult {
        Ok(i32::from(!self.holds(expr).await?))
    }

    fn holds<'a>(&'a mut self, expr: &'a Expr) -> LocalFuture<'a, Result<bool, ShellFlow>> {
        Box::pin(async move {
            match expr {
                Expr::And(left, right) => Ok(self.holds(left).await? && self.holds(right).await?),
                Expr::Or(left, right) => Ok(self.holds(left).await? || self.holds(right).await?),
                Expr::Not(inner) => Ok(!self.holds(inner).await?),
                Expr::Parenthesized(inner) => self.holds(inner).await,
                Expr::UnaryTest(predicate, word) => {
                    let text = self.expand_text(&word.value).await?;
                    Ok(self.unary(predicate, &text))
                }
                Expr::BinaryTest(predicate, left, right) => {
                    let left = self.expand_text(&left.value).await?;
                    self.compare(predicate, &left, &right.value).await
                }
            }
        })
    }

    async fn compare(&mut self, predicate: &Binary, left: &str, right: &str) -> Result<bool, ShellFlow> {
        match predicate {
            Binary::StringExactlyMatchesPattern => Ok({
                let pattern = self.expand_pattern(right).await?;
                self.matches(&pattern, left)
            }),
            Binary::StringDoesNotExactlyMatchPattern => Ok({
                let pattern = self.expand_pattern(right).await?;
                !self.matches(&pattern, left)
            }),
            Binary::StringMatchesRegex => {
                let source = self.expand_regex(right).await?;
                self.matches_regex(&source, left).await
            }
            Binary::StringContainsSubstring => {
                let text = self.expand_text(right).await?;
                Ok(left.contains(&text))
            }
            Binary::ArithmeticEqualTo
            | Binary::ArithmeticNotEqualTo
            | Binary::ArithmeticLessThan
            | Binary::ArithmeticLessThanOrEqualTo
            | Binary::ArithmeticGreaterThan
            | Binary::ArithmeticGreaterThanOrEqualTo => {
                let right = self.expand_text(right).await?;
                let (left, right) = (self.arithmetic(left).await?, self.arithmetic(&right).await?);
                Ok(numbers(predicate, left, right))
            }
            other => {
                let right = self.expand_text(right).await?;
                Ok(self.binary(other, left, &right).unwrap_or(false))
            }
        }
    }

    async fn matches_regex(&mut self, source: &str, text: &str) -> Result<bool, ShellFlow> {
        let source = if self.options.nocasematch { format!("(?i){source}") } else { source.to_owned() };
        let Ok(regex) = Regex::new(&source) else {
            self.complain(&format!("shell: {source}: this is no regular expression")).await;
            return Ok(false);
        };
        let Some(found) = regex.captures(text) else {
            self.vars.set("BASH_REMATCH", VariableValue::List(Default::default()));
            return Ok(false);
        };
        let groups = found.iter().map(|group| group.map_or(String::new(), |group| group.as_str().to_owned()));
        self.vars.set("BASH_REMATCH", VariableValue::List((0..).zip(groups).collect()));
        Ok(true)
    }

    /// What `test` says; the error is a text that is no number where one must be.
    pub(crate) fn test(&self, expr: &TestExpr) -> Result<bool, String> {
        match expr {
            TestExpr::False => Ok(false),
            TestExpr::Literal(text) => Ok(!text.is_empty()),
            TestExpr::And(left, right) => Ok(self.test(left)? && self.test(right)?),
            TestExpr::Or(left, right) => Ok(self.test(left)? || self.test(right)?),
            TestExpr::Not(inner) => Ok(!self.test(inner)?),
            TestExpr::Parenthesized(inner) => self.test(inner),
            TestExpr::UnaryTest(predicate, text) => Ok(self.unary(predicate, text)),
            TestExpr::BinaryTest(predicate, left, right) => self.binary(predicate, left, right),
        }
    }

    fn unary(&self, predicate: &Unary, text: &str) -> bool {
        let path = self.path(text);
        let data = || if text.is_empty() { None } else { fs::metadata(&path).ok() };
        match predicate {
            Unary::StringHasZeroLength => text.is_empty(),
            Unary::StringHasNonZeroLength => !text.is_empty(),
            Unary::FileExists
            | Unary::FileExistsAndIsReadable
            | Unary::FileExistsAndIsWritable
            | Unary::FileExistsAndOwnedByEffectiveGroupId
            | Unary::FileExistsAndOwnedByEffectiveUserId => data().is_some() || text == "/dev/null",
            Unary::FileExistsAndIsDir | Unary::FileExistsAndIsExecutable => {
                data().is_some_and(|data| data.is_dir())
            }
            Unary::FileExistsAndIsRegularFile => data().is_some_and(|data| data.is_file()),
            Unary::FileExistsAndIsNotZeroLength => data().is_some_and(|data| data.len() > 0),
            Unary::FileExistsAndIsSymlink => fs::symlink_metadata(&path).is_ok_and(|data| data.is_symlink()),
            Unary::ShellVariableIsSetAndAssigned => match text.split_once('[') {
                Some((name, key)) => {
                    let key = key.trim_end_matches(']');
                    let element = key.parse().ok().and_then(|index| self.vars.element(name, index));
                    element.or_else(|| self.vars.member(name, key)).is_some()
                }
                None => self.vars.text(text).is_some(),
            },
            Unary::ShellOptionEnabled => {
                let mut options = self.options;
                options.named(text).is_some_and(|on| *on)
            }
            Unary::FileExistsAndIsBlockSpecialFile
            | Unary::FileExistsAndIsCharSpecialFile
            | Unary::FileExistsAndIsSetgid
            | Unary::FileExistsAndHasStickyBit
            | Unary::FileExistsAndIsFifo
            | Unary::FdIsOpenTerminal
            | Unary::FileExistsAndIsSetuid
            | Unary::FileExistsAndModifiedSinceLastRead
            | Unary::FileExistsAndIsSocket
            | Unary::ShellVariableIsSetAndNameRef => false,
        }
    }

    fn binary(&self, predicate: &Binary, left: &str, right: &str) -> Result<bool, String> {
        let time = |path: &str| fs::metadata(self.path(path)).and_then(|data| data.modified()).ok();
        Ok(match predicate {
            Binary::FilesReferToSameDeviceAndInodeNumbers => self.path(left) == self.path(right),
            Binary::LeftFileIsNewerOrExistsWhenRightDoesNot => time(left) > time(right),
            Binary::LeftFileIsOlderOrDoesNotExistWhenRightDoes => time(left) < time(right),
            Binary::StringExactlyMatchesPattern | Binary::StringExactlyMatchesString => left == right,
            Binary::StringDoesNotExactlyMatchPattern | Binary::StringDoesNotExactlyMatchString => {
                left != right
            }
            Binary::StringMatchesRegex => Regex::new(right).is_ok_and(|regex| regex.is_match(left)),
            Binary::StringContainsSubstring => left.contains(right),
            Binary::LeftSortsBeforeRight => left < right,
            Binary::LeftSortsAfterRight => left > right,
            Binary::ArithmeticEqualTo
            | Binary::ArithmeticNotEqualTo
            | Binary::ArithmeticLessThan
            | Binary::ArithmeticLessThanOrEqualTo
            | Binary::ArithmeticGreaterThan
            | Binary::ArithmeticGreaterThanOrEqualTo => {
                let number = |text: &str| {
                    text.trim().parse().map_err(|_| format!("{text}: integer expression expected"))
                };
                numbers(predicate, number(left)?, number(right)?)
            }
        })
    }
}

fn numbers(predicate: &Binary, left: i64, right: i64) -> bool {
    match predicate {
        Binary::ArithmeticEqualTo => left == right,
        Binary::ArithmeticNotEqualTo => left != right,
        Binary::ArithmeticLessThan => left < right,
        Binary::ArithmeticLessThanOrEqualTo => left <= right,
        Binary::ArithmeticGreaterThan => left > right,
        Binary::ArithmeticGreaterThanOrEqualTo => left >= right,
        _ => false,
    }
}
