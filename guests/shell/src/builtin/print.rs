//! `echo` and `printf`.

use crate::expand::{ansi, backslashed};
use crate::shell::{BROKEN_PIPE, ShellFlow, ShellState, CommandResult};

/// The widest field: a hostile width must not fill memory.
const MAX_WIDTH: usize = 10_000;

pub(super) async fn echo(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let is_flag = |arg: &String| {
        arg.len() > 1 && arg.starts_with('-') && arg.chars().skip(1).all(|c| "neE".contains(c))
    };
    let flags: String =
        args.iter().take_while(|arg| is_flag(arg)).flat_map(|arg| arg.chars().skip(1)).collect();
    let words = args.get(args.iter().take_while(|arg| is_flag(arg)).count()..).unwrap_or_default();
    let mut text = words.join(" ");
    let mut newline = !flags.contains('n');
    if flags.contains('e') {
        if let Some((head, _)) = text.split_once("\\c") {
            text = head.to_owned();
            newline = false;
        }
        text = ansi(&text);
    }
    if newline {
        text.push('\n');
    }
    written(shell, "echo", &text).await
}

async fn written(shell: &ShellState, name: &str, text: &str) -> CommandResult {
    match shell.fds.get(1).write(text.as_bytes()).await {
        Ok(()) => Ok(0),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Err(ShellFlow::Exit(BROKEN_PIPE)),
        Err(error) => {
            shell.complain(&format!("{name}: {error}")).await;
            Ok(1)
        }
    }
}

pub(super) async fn printf(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let (into, args) = match args {
        [flag, name, rest @ ..] if flag == "-v" => (Some(name), rest),
        [dashes, rest @ ..] if dashes == "--" => (None, rest),
        _ => (None, args),
    };
    let Some((format, args)) = args.split_first() else {
        shell.complain("printf: which format").await;
        return Ok(2);
    };
    let mut printer = PrintfFormatter { args: args.iter(), out: String::new(), wrong: None, used: false };
    loop {
        printer.used = false;
        printer.pass(format);
        // The format is used again as long as it uses up arguments.
        if printer.args.len() == 0 || !printer.used {
            break;
        }
    }
    let (text, wrong) = (printer.out, printer.wrong);
    if let Some(why) = &wrong {
        shell.complain(&format!("printf: {why}")).await;
    }
    let status = i32::from(wrong.is_some());
    match into {
        Some(name) => {
            shell.vars.set_text(name, text);
            Ok(status)
        }
        None => Ok(written(shell, "printf", &text).await?.max(status)),
    }
}

struct PrintfFormatter<'a> {
    args: std::slice::Iter<'a, String>,
    out: String,
    wrong: Option<String>,
    used: bool,
}

/// The part between `%` and the letter.
#[derive(Default)]
struct FormatSpec {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

impl PrintfFormatter<'_> {
    fn pass(&mut self, format: &str) {
        let mut rest = format;
        while let Some((before, after)) = rest.split_once('%') {
            self.out.push_str(&ansi(before));
            rest = self.directive(after);
        }
        self.out.push_str(&ansi(rest));
    }

    fn next(&mut self) -> String {
        self.used = true;
        self.args.next().cloned().unwrap_or_default()
    }

    fn number(&mut self) -> i64 {
        let text = self.next();
        let text = text.trim();
        if let Some(c) = text.strip_prefix(['\'', '"']).and_then(|rest| rest.chars().next()) {
            return i64::from(u32::from(c));
        }
        let (sign, digits) =
            text.strip_prefix('-').map_or((1, text.trim_start_matches('+')), |rest| (-1, rest));
        let parsed = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => i64::from_str_radix(hex, 16),
            None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8),
            None if digits.is_empty() => Ok(0),
            None => digits.parse(),
        };
        parsed.map_or_else(
            |_| {
                self.wrong = Some(format!("{text}: invalid number"));
                0
            },
            |number| number.wrapping_mul(sign),
        )
    }

    fn directive<'t>(&mut self, text: &'t str) -> &'t str {
        if let Some(rest) = text.strip_prefix('%') {
            self.out.push('%');
            return rest;
        }
        let (spec, rest) = self.spec(text);
        let mut chars = rest.chars();
        let Some(letter) = chars.next() else {
            self.out.push('%');
            return rest;
        };
        match letter {
            's' => {
                let text = self.next();
                self.text(&spec, &text);
            }
            'b' => {
                let text = ansi(&self.next());
                self.text(&spec, &text);
            }
            'q' => {
                let text = backslashed(&self.next());
                self.text(&spec, &text);
            }
            'c' => {
                let text: String = self.next().chars().take(1).collect();
                self.text(&spec, &text);
            }
            'd' | 'i' => {
                let number = self.number();
                self.digits(&spec, number < 0, &number.unsigned_abs().to_string(), "");
            }
            'u' => {
                let number = self.number().cast_unsigned();
                self.digits(&spec, false, &number.to_string(), "");
            }
            'x' => {
                let number = self.number();
                self.digits(&spec, false, &format!("{number:x}"), "0x");
            }
            'X' => {
                let number = self.number();
                self.digits(&spec, false, &format!("{number:X}"), "0X");
            }
            'o' => {
                let number = self.number();
                self.digits(&spec, false, &format!("{number:o}"), "0");
            }
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => self.real(&spec, letter),
            other => {
                self.wrong = Some(format!("%{other}: invalid directive"));
            }
        }
        chars.as_str()
    }

    fn spec<'t>(&mut self, text: &'t str) -> (FormatSpec, &'t str) {
        let mut spec = FormatSpec::default();
        let mut rest = text;
        while let Some(flag) = rest.chars().next().filter(|c| "-0+ #".contains(*c)) {
            match flag {
                '-' => spec.left = true,
                '0' => spec.zero = true,
                '+' => spec.plus = true,
                ' ' => spec.space = true,
                _ => spec.alternate = true,
            }
            rest = rest.get(1..).unwrap_or_default();
        }
        let width;
        (width, rest) = self.count(rest);
        spec.width = width.unwrap_or(0);
        if let Some(after) = rest.strip_prefix('.') {
            let precision;
            (precision, rest) = self.count(after);
            spec.precision = Some(precision.unwrap_or(0));
        }
        (spec, rest.trim_start_matches(['l', 'h', 'j', 'z']))
    }

    /// A number from the format, or from the arguments if it is a star.
    fn count<'t>(&mut self, text: &'t str) -> (Option<usize>, &'t str) {
        if let Some(rest) = text.strip_prefix('*') {
            let number = usize::try_from(self.number()).unwrap_or(0);
            return (Some(number.min(MAX_WIDTH)), rest);
        }
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        (digits.parse().ok().map(|number: usize| number.min(MAX_WIDTH)), rest)
    }

    fn text(&mut self, spec: &FormatSpec, text: &str) {
        let text: String = text.chars().take(spec.precision.unwrap_or(usize::MAX)).collect();
        self.pad(spec, &text, ' ');
    }

    fn digits(&mut self, spec: &FormatSpec, negative: bool, digits: &str, prefix: &str) {
        let sign = if negative {
            "-"
        } else if spec.plus {
            "+"
        } else if spec.space {
            " "
        } else {
            ""
        };
        let prefix = if spec.alternate { prefix } else { "" };
        let digits = format!("{digits:0>width$}", width = spec.precision.unwrap_or(0));
        if spec.zero && !spec.left && spec.precision.is_none() {
            let width = spec.width.saturating_sub(sign.len() + prefix.len());
            self.out.push_str(&format!("{sign}{prefix}{digits:0>width$}"));
        } else {
            self.pad(spec, &format!("{sign}{prefix}{digits}"), ' ');
        }
    }

    fn real(&mut self, spec: &FormatSpec, letter: char) {
        let text = self.next();
        let number: f64 = match text.trim() {
            "" => 0.0,
            text => text.parse().unwrap_or_else(|_| {
                self.wrong = Some(format!("{text}: invalid number"));
                0.0
            }),
        };
        let precision = spec.precision.unwrap_or(6);
        let shown = match letter {
            'f' | 'F' => format!("{:.precision$}", number.abs()),
            'e' | 'E' => scientific(number.abs(), precision),
            _ => general(number.abs(), precision.max(1)),
        };
        let shown = if letter.is_uppercase() { shown.to_uppercase() } else { shown };
        let plain = FormatSpec { precision: None, alternate: false, ..*spec };
        self.digits(&plain, number < 0.0, &shown, "");
    }

    fn pad(&mut self, spec: &FormatSpec, text: &str, fill: char) {
        let missing = spec.width.saturating_sub(text.chars().count());
        let padding: String = std::iter::repeat_n(fill, missing).collect();
        if spec.left {
            self.out.push_str(text);
            self.out.push_str(&padding);
        } else {
            self.out.push_str(&padding);
            self.out.push_str(text);
        }
    }
}

/// As C writes it: a sign and two digits at least in the exponent.
fn scientific(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// The shorter of both forms, without zeros at its end.
fn general(number: f64, precision: usize) -> String {
    let text = scientific(number, precision - 1);
    let exponent: i32 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let digits = i32::try_from(precision).unwrap_or(i32::MAX);
    if exponent < -4 || exponent >= digits {
        let (head, tail) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{tail}", trimmed(head));
    }
    let after = usize::try_from(digits - 1 - exponent).unwrap_or(0);
    trimmed(&format!("{number:.after$}"))
}

fn trimmed(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}
