//! `date` and `sleep`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::kit::{UtilityResult, OutputBuffer, UtilityError, parse};
use crate::shell::ShellState;

/// A moment as calendars have it, in UTC.
struct CalendarTime {
    seconds: i64,
    year: i64,
    month: i64,
    day: i64,
    weekday: i64,
    yearday: i64,
}

const DAY: i64 = 86_400;
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl CalendarTime {
    /// From seconds since 1970, by counting eras of 400 years, which all have as many days.
    fn new(seconds: i64) -> Self {
        let days = seconds.div_euclid(DAY);
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let yearday = days - days_to(year, 1, 1) + 1;
        Self { seconds, year, month, day, weekday: (days + 4).rem_euclid(7), yearday }
    }

    fn format(&self, format: &str) -> String {
        let of_day = self.seconds.rem_euclid(DAY);
        let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
        let name = |names: &[&'static str], index: i64| {
            usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or("?")
        };
        let short = |name: &str| name.get(..3).unwrap_or(name).to_owned();
        let mut out = String::new();
        let mut rest = format.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let mut letter = rest.next().unwrap_or('%');
            let unpadded = letter == '-';
            if unpadded {
                letter = rest.next().unwrap_or('-');
            }
            let piece = match letter {
                'Y' => format!("{:04}", self.year),
                'y' => format!("{:02}", self.year.rem_euclid(100)),
                'm' => format!("{:02}", self.month),
                'd' => format!("{:02}", self.day),
                'e' => format!("{:>2}", self.day),
                'H' => format!("{hour:02}"),
                'I' => format!("{:02}", (hour + 11) % 12 + 1),
                'p' => if hour < 12 { "AM" } else { "PM" }.to_owned(),
                'M' => format!("{minute:02}"),
                'S' => format!("{second:02}"),
                's' => self.seconds.to_string(),
                'N' => "000000000".to_owned(),
                'j' => format!("{:03}", self.yearday),
                'u' => if self.weekday == 0 { 7 } else { self.weekday }.to_string(),
                'w' => self.weekday.to_string(),
                'A' => name(&DAYS, self.weekday).to_owned(),
                'a' => short(name(&DAYS, self.weekday)),
                'B' => name(&MONTHS, self.month - 1).to_owned(),
                'b' | 'h' => short(name(&MONTHS, self.month - 1)),
                'F' => self.format("%Y-%m-%d"),
                'T' => self.format("%H:%M:%S"),
                'R' => self.format("%H:%M"),
                'D' => self.format("%m/%d/%y"),
                'c' => self.format("%a %b %e %H:%M:%S %Y"),
                'Z' => "UTC".to_owned(),
                'z' => "+0000".to_owned(),
                'n' => "\n".to_owned(),
                't' => "\t".to_owned(),
                '%' => "%".to_owned(),
                other => format!("%{other}"),
            };
            out.push_str(if unpadded { piece.trim_start_matches(['0', ' ']) } else { &piece });
        }
        out
    }
}

/// Days from 1970 to a day.
fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// The time of a file, as listings show it.
pub(super) fn stamp(time: SystemTime) -> String {
    CalendarTime::new(seconds(time)).format("%F %R")
}

/// Reads `@seconds`, `YYYY-MM-DD` with or without a time, and `now`.
fn read(text: &str) -> Option<i64> {
    if let Some(number) = text.strip_prefix('@') {
        return number.parse().ok();
    }
    if text == "now" {
        return Some(seconds(SystemTime::now()));
    }
    let text = text.trim_end_matches('Z');
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "0:0:0"));
    let mut date = date.split('-').map(|piece| piece.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.split(':').map(|piece| piece.parse::<i64>().ok());
    let (hour, minute) = (time.next()??, time.next()??);
    let second = time.next().flatten().unwrap_or(0);
    ((1..=12).contains(&month) && (1..=31).contains(&day) && year.abs() < 1_000_000)
        .then(|| days_to(year, month, day) * DAY + hour * 3_600 + minute * 60 + second)
}

pub(super) async fn date(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "ud:I")?;
    let at = match given.value('d') {
        Some(text) => read(text).ok_or_else(|| UtilityError::Said(format!("invalid date '{text}'")))?,
        None => seconds(SystemTime::now()),
    };
    let format = match words.first().map(|word| word.strip_prefix('+').ok_or(word)) {
        Some(Ok(format)) => format,
        Some(Err(word)) => return Err(UtilityError::Said(format!("invalid date '{word}'"))),
        None if given.has('I') => "%F",
        None => "%a %b %e %H:%M:%S UTC %Y",
    };
    let mut out = OutputBuffer::of(shell);
    out.line(&CalendarTime::new(at).format(format)).await?;
    out.send().await?;
    Ok(0)
}

pub(super) async fn sleep(_: &mut ShellState, args: &[String]) -> UtilityResult {
    for arg in args {
        let (digits, scale) = match arg.char_indices().next_back() {
            Some((at, 's')) => (arg.get(..at), 1.0),
            Some((at, 'm')) => (arg.get(..at), 60.0),
            Some((at, 'h')) => (arg.get(..at), 3_600.0),
            _ => (Some(arg.as_str()), 1.0),
        };
        let number: Option<f64> = digits.and_then(|digits| digits.parse().ok());
        let time = number.and_then(|number| Duration::try_from_secs_f64(number * scale).ok());
        std::thread::sleep(time.ok_or_else(|| UtilityError::Said(format!("invalid time '{arg}'")))?);
    }
    Ok(0)
}
