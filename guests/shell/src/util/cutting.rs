//! `cut`.

use super::kit::{UtilityResult, OutputBuffer, UtilityError, inputs, next_line, parse};
use crate::shell::ShellState;

/// Pieces by number, from 1; an open end goes to the last.
struct CutRanges(Vec<(usize, usize)>);

impl CutRanges {
    fn parse(text: &str) -> Result<Self, UtilityError> {
        let wrong = || UtilityError::Said(format!("invalid range '{text}'"));
        let number =
            |text: &str, or: usize| if text.is_empty() { Ok(or) } else { text.parse().map_err(|_| wrong()) };
        text.split(',')
            .map(|piece| match piece.split_once('-') {
                Some((first, last)) => Ok((number(first, 1)?, number(last, usize::MAX)?)),
                None => number(piece, 0).map(|only| (only, only)),
            })
            .collect::<Result<Vec<_>, UtilityError>>()
            .map(Self)
    }

    fn holds(&self, number: usize) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&number))
    }
}

pub(super) async fn cut(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (mut args, mut inverted, mut joint) = (args.to_vec(), false, None);
    args.retain(|arg| {
        inverted |= arg == "--complement";
        joint = arg.strip_prefix("--output-delimiter=").map(str::to_owned).or(joint.take());
        arg != "--complement" && !arg.starts_with("--output-delimiter=")
    });
    let (given, words) = parse(&args, "b:c:d:f:sn")?;
    let list = given.value('f').or(given.value('c')).or(given.value('b'));
    let Some(list) = list else {
        return Err(UtilityError::Said("which fields or letters".to_owned()));
    };
    let ranges = CutRanges::parse(list)?;
    let wanted = |index: usize| ranges.holds(index + 1) != inverted;
    let delimiter = given.value('d').unwrap_or("\t");
    let joint = joint.unwrap_or_else(|| delimiter.to_owned());
    let (inputs, failed) = inputs(shell, "cut", &words).await;
    let mut out = OutputBuffer::of(shell);
    for (_, input) in inputs {
        while let Some(line) = next_line(&input, b'\n').await? {
            let line = String::from_utf8_lossy(&line);
            if given.value('f').is_none() {
                let kept: String =
                    line.chars().enumerate().filter(|(index, _)| wanted(*index)).map(|(_, c)| c).collect();
                out.line(&kept).await?;
            } else if delimiter.is_empty() || !line.contains(delimiter) {
                if !given.has('s') {
                    out.line(&line).await?;
                }
            } else {
                let kept: Vec<&str> = line
                    .split(delimiter)
                    .enumerate()
                    .filter(|(index, _)| wanted(*index))
                    .map(|(_, field)| field)
                    .collect();
                out.line(&kept.join(&joint)).await?;
            }
        }
    }
    out.send().await?;
    Ok(i32::from(failed))
}
