//! Reads and writes escapes.

/// Reads the escapes of `$'…'`, `echo -e` and `printf`.
pub(crate) fn ansi(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            push(&mut out, c);
            continue;
        }
        let Some(escape) = rest.next() else {
            out.push(b'\\');
            break;
        };
        match escape {
            'n' => out.push(b'\n'),
            't' => out.push(b'\t'),
            'r' => out.push(b'\r'),
            'a' => out.push(7),
            'b' => out.push(8),
            'e' | 'E' => out.push(27),
            'f' => out.push(12),
            'v' => out.push(11),
            '\\' | '\'' | '"' | '?' => push(&mut out, escape),
            'x' => match number(&mut rest, 16, 2) {
                Some(code) => out.push(low(code)),
                None => out.extend(b"\\x"),
            },
            'u' => unicode(&mut rest, 4, &mut out),
            'U' => unicode(&mut rest, 8, &mut out),
            '0'..='7' => {
                let first = escape.to_digit(8).unwrap_or(0);
                let room = if first == 0 { 3 } else { 2 };
                let mut code = first;
                for _ in 0..room {
                    let Some(digit) = rest.peek().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + digit;
                    rest.next();
                }
                out.push(low(code));
            }
            other => {
                out.push(b'\\');
                push(&mut out, other);
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

type QuoteChars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn push(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn low(code: u32) -> u8 {
    u8::try_from(code & 255).unwrap_or(0)
}

fn number(rest: &mut QuoteChars<'_>, radix: u32, most: usize) -> Option<u32> {
    let mut code = None;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else { break };
        code = Some(code.unwrap_or(0) * radix + digit);
        rest.next();
    }
    code
}

fn unicode(rest: &mut QuoteChars<'_>, most: usize, out: &mut Vec<u8>) {
    match number(rest, 16, most).and_then(char::from_u32) {
        Some(c) => push(out, c),
        None => out.extend(b"\\u"),
    }
}

/// Writes a text so that a shell reads it back as it is.
pub(crate) fn quote(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:,@%+=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if text.chars().any(char::is_control) {
        let escaped: String = text
            .chars()
            .map(|c| match c {
                '\n' => "\\n".to_owned(),
                '\t' => "\\t".to_owned(),
                '\r' => "\\r".to_owned(),
                '\'' | '\\' => format!("\\{c}"),
                c if c.is_control() => format!("\\x{:02x}", u32::from(c)),
                c => c.to_string(),
            })
            .collect();
        return format!("$'{escaped}'");
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The same with backslashes, as `printf %q` does.
pub(crate) fn backslashed(text: &str) -> String {
    if text.is_empty() || text.chars().any(char::is_control) {
        return quote(text);
    }
    let plain = |c: char| c.is_alphanumeric() || "_-./:@%+=,".contains(c);
    text.chars().flat_map(|c| (!plain(c)).then_some('\\').into_iter().chain([c])).collect()
}
