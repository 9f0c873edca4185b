//! `cut`.

use super::kit::{Done, Out, Trouble, inputs, next_line, parse};
use crate::shell::Shell;

/// Pieces by number, from 1; an open end goes to the last.
struct Ranges(Vec<(usize, usize)>);

impl Ranges {
    fn parse(text: &str) -> Result<Self, Trouble> {
        let wrong = || Trouble::Said(format!("invalid range '{text}'"));
        let number =
            |text: &str, or: usize| if text.is_empty() { Ok(or) } else { text.parse().map_err(|_| wrong()) };
        text.split(',')
            .map(|piece| match piece.split_once('-') {
                Some((first, last)) => Ok((number(first, 1)?, number(last, usize::MAX)?)),
                None => number(piece, 0).map(|only| (only, only)),
            })
            .collect::<Result<Vec<_>, Trouble>>()
            .map(Self)
    }

    fn holds(&self, number: usize) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&number))
    }
}

pub(super) async fn cut(shell: &mut Shell, args: &[String]) -> Done {
    let (mut args, mut inverted, mut joint) = (args.to_vec(), false, None);
    args.retain(|arg| {
        inverted |= arg == "--complement";
        joint = arg.strip_prefix("--output-delimiter=").map(str::to_owned).or(joint.take());
        arg != "--complement" && !arg.starts_with("--output-delimiter=")
    });
    let (given, words) = parse(&args, "b:c:d:f:sn")?;
    let list = given.value('f').or(given.value('c')).or(given.value('b'));
    let Some(list) = list else {
        return Err(Trouble::Said("which fields or letters".to_owned()));
    };
    let ranges = Ranges::parse(list)?;
    let wanted = |index: usize| ranges.holds(index + 1) != inverted;
    let delimiter = given.value('d').unwrap_or("\t");
    let joint = joint.unwrap_or_else(|| delimiter.to_owned());
    let (inputs, failed) = inputs(shell, "cut", &words).await;
    let mut out = Out::of(shell);
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
