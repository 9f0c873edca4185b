//! A script as short lines, because a counterexample is read by people.

use std::fmt::{self, Display, Formatter};

use super::{Ask, Child, Fault, Interrupt, Line, Mishap, Ruling, Script, Then, What, Work};

/// Longer texts are shown by their beginning and their length.
const SHOWN: usize = 120;

impl Display for Script {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        lines(out, "prompt", self.prompts.iter().map(Short))?;
        lines(out, "model", &self.model)?;
        if self.then == Then::Repeats {
            writeln!(out, "model     begins again")?;
        }
        lines(out, "tool", &self.tools)?;
        lines(out, "person", &self.people)?;
        lines(out, "hook", self.hooks.iter().map(|answer| Short(format!("{answer:?}"))))?;
        lines(out, "check", self.checks.iter().map(|ruling| Short(format!("{ruling:?}"))))?;
        lines(out, "child", &self.children)?;
        lines(out, "interrupt", &self.interrupts)?;
        lines(out, "fault", &self.faults)
    }
}

fn lines<T: Display>(out: &mut Formatter<'_>, who: &str, all: impl IntoIterator<Item = T>) -> fmt::Result {
    all.into_iter().try_for_each(|line| writeln!(out, "{who:9} {line}"))
}

/// A text in one line, bounded.
struct Short<T>(T);

impl<T: AsRef<str>> Display for Short<T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let text = self.0.as_ref();
        let beginning: String = text.chars().take(SHOWN).flat_map(printable).collect();
        out.write_str(&beginning)?;
        if text.chars().count() > SHOWN {
            write!(out, "… ({} bytes)", text.len())?;
        }
        Ok(())
    }
}

fn printable(char: char) -> Vec<char> {
    if char.is_control() { char.escape_default().collect() } else { vec![char] }
}

impl Display for Line {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Says(text) => write!(out, "says {}", Short(text)),
            Self::Calls(text, asks) if text.is_empty() => write_asks(out, asks),
            Self::Calls(text, asks) => {
                write!(out, "says {} and calls ", Short(text))?;
                write_asks(out, asks)
            }
            Self::Thinks(text) => write!(out, "thinks {}", Short(text)),
            Self::Silent => out.write_str("is silent"),
            Self::Cut(text, asks) => {
                write!(out, "is cut after {} ", Short(text))?;
                write_asks(out, asks)
            }
            Self::Declines(text) => write!(out, "declines {}", Short(text)),
            Self::Fails(class) => write!(out, "fails {class:?}"),
            Self::FailsFor(class, millis) => write!(out, "fails {class:?}, wait {millis} ms"),
            Self::Stops => out.write_str("is stopped by the host"),
        }
    }
}

fn write_asks(out: &mut Formatter<'_>, asks: &[Ask]) -> fmt::Result {
    const MOST: usize = 6;
    for (index, ask) in asks.iter().take(MOST).enumerate() {
        let comma = if index == 0 { "" } else { "; " };
        write!(out, "{comma}{} {}", Short(&ask.tool), Short(&ask.arguments))?;
        if let Some(id) = &ask.id {
            write!(out, " (id {})", Short(id))?;
        }
    }
    if asks.len() > MOST {
        write!(out, "; … {} calls", asks.len())?;
    }
    Ok(())
}

impl Display for Work {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gives(text) => write!(out, "gives {}", Short(text)),
            Self::Fails(text) => write!(out, "fails {}", Short(text)),
            Self::Ends(text) => write!(out, "ends the run with {}", Short(text)),
            Self::Brings(text, marks) => {
                write!(
                    out,
                    "brings {} (untrusted {}, private {})",
                    Short(text),
                    marks.untrusted,
                    marks.private
                )
            }
            Self::Spills(bytes) => write!(out, "spills {bytes} bytes"),
            Self::Hangs => out.write_str("hangs"),
        }
    }
}

impl Display for Ruling {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allows => out.write_str("allows"),
            Self::Grants(grants, until) => {
                let grants: Vec<String> = grants.iter().map(ToString::to_string).collect();
                write!(out, "allows and grants {}", grants.join(" "))?;
                until.map_or(Ok(()), |millis| write!(out, " for {millis} ms"))
            }
            Self::Denies(reason) => write!(out, "denies: {}", Short(reason)),
            Self::Rewrites(arguments) => write!(out, "rewrites to {}", Short(arguments)),
            Self::Silent => out.write_str("says nothing"),
        }
    }
}

impl Display for Child {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answers(text, share) => write!(out, "answers {} for {share} ‰ of its budget", Short(text)),
            Self::Fails(text) => write!(out, "fails {}", Short(text)),
        }
    }
}

impl Display for Interrupt {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "after record {}: ", self.after)?;
        match &self.what {
            What::Prompts(text) => write!(out, "prompt {}", Short(text)),
            What::Steers(text) => write!(out, "steer {}", Short(text)),
            What::FollowsUp(text) => write!(out, "follow up {}", Short(text)),
            What::Cancels => out.write_str("cancel"),
            What::Mode(mode) => write!(out, "mode {mode}"),
            What::Grants(grants) => {
                let grants: Vec<String> = grants.iter().map(ToString::to_string).collect();
                write!(out, "grants [{}]", grants.join(" "))
            }
            What::Budget(budget) => write!(out, "budget {budget:?}"),
            What::Tools(tools) => write!(out, "tools [{}]", tools.join(" ")),
            What::ClockForward(millis) => write!(out, "clock {millis} ms forward"),
            What::ClockBack(millis) => write!(out, "clock {millis} ms back"),
            What::HandOver => out.write_str("another host takes over"),
            What::Mistake(offence) => write!(out, "the host errs: {offence:?}"),
        }
    }
}

impl Display for Fault {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let at = self.at;
        match self.mishap {
            Mishap::CrashBefore => write!(out, "crash before record {at} is appended"),
            Mishap::CrashAfter => write!(out, "crash after record {at} is appended"),
            Mishap::CrashLeaving => write!(out, "crash after record {at}; what runs elsewhere still answers"),
            Mishap::CrashPerformed => write!(out, "crash once all that record {at} asks for is done"),
            Mishap::Twice => write!(out, "the fact of record {at} comes twice"),
            Mishap::Late(millis) => write!(out, "the next answer after record {at} is {millis} ms late"),
            Mishap::Lost => write!(out, "the next answer after record {at} is lost"),
            Mishap::Snapshot => write!(out, "snapshot after record {at}"),
            Mishap::Torn(cut) => write!(out, "record {at} is cut after {cut} of its bytes, counted round"),
            Mishap::DiskFull => write!(out, "record {at} cannot be appended: the disk is full"),
            Mishap::Reordered => write!(out, "the next two answers after record {at} change places"),
            Mishap::Slow(millis) => write!(out, "the append of record {at} takes {millis} ms"),
        }
    }
}
