//! What is done to a body that was right, so that it is wrong in one place.

/// One change of a body. Places are given in thousandths of it, so that one script fits every format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bend {
    /// These bytes are put in here.
    Insert(u16, Vec<u8>),
    /// These bytes stand here in the place of what was there.
    Overwrite(u16, Vec<u8>),
    /// What lies between two places is missing.
    Drop(u16, u16),
    /// What lies between two places comes so many times more.
    Repeat(u16, u16, u16),
    /// What lies before a place comes after what lies behind it.
    Turn(u16),
    /// One line is missing, counted from the front; where there are fewer, from the front again.
    DropLine(u16),
    /// One line comes twice.
    RepeatLine(u16),
    /// Two lines that follow one another change places.
    SwapLines(u16),
    /// Every line ends like this.
    LineEnds(Vec<u8>),
    /// One bit is the other way round.
    Flip(u16, u8),
    /// Every one of these bytes is another one.
    Exchange(u8, u8),
}

impl Bend {
    /// Does it.
    pub fn apply(&self, body: &mut Vec<u8>) {
        match self {
            Self::Insert(at, bytes) => {
                let at = place(body, *at);
                body.splice(at..at, bytes.iter().copied());
            }
            Self::Overwrite(at, bytes) => {
                let at = place(body, *at);
                let end = at.saturating_add(bytes.len()).min(body.len());
                body.splice(at..end, bytes.iter().copied());
            }
            Self::Drop(from, to) => {
                let (from, to) = span(body, *from, *to);
                body.drain(from..to);
            }
            Self::Repeat(from, to, times) => {
                let (from, to) = span(body, *from, *to);
                let piece = body.get(from..to).unwrap_or_default().repeat(usize::from(*times));
                body.splice(to..to, piece);
            }
            Self::Turn(at) => {
                let at = place(body, *at);
                body.rotate_left(at);
            }
            Self::DropLine(number) => lines(body, |lines| {
                if let Some(at) = nth(lines, *number) {
                    lines.remove(at);
                }
            }),
            Self::RepeatLine(number) => lines(body, |lines| {
                if let Some((at, line)) =
                    nth(lines, *number).and_then(|at| Some((at, lines.get(at)?.clone())))
                {
                    lines.insert(at, line);
                }
            }),
            Self::SwapLines(number) => lines(body, |lines| {
                if let Some(at) = nth(lines, *number)
                    && at + 1 < lines.len()
                {
                    lines.swap(at, at + 1);
                }
            }),
            Self::LineEnds(end) => lines(body, |lines| {
                for line in lines.as_mut_slice() {
                    if line.pop() == Some(b'\n') {
                        line.extend_from_slice(end);
                    }
                }
            }),
            Self::Flip(at, bit) => {
                let at = place(body, *at);
                if let Some(byte) = body.get_mut(at) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Self::Exchange(one, other) => {
                for byte in body.as_mut_slice() {
                    if *byte == *one {
                        *byte = *other;
                    }
                }
            }
        }
    }
}

fn place(body: &[u8], milli: u16) -> usize {
    (body.len().saturating_mul(usize::from(milli)) / 1_000).min(body.len())
}

fn span(body: &[u8], from: u16, to: u16) -> (usize, usize) {
    let (from, to) = (place(body, from), place(body, to));
    (from.min(to), from.max(to))
}

fn nth(lines: &[Vec<u8>], number: u16) -> Option<usize> {
    usize::from(number).checked_rem(lines.len())
}

/// Changes the body line by line; each line has its end.
fn lines(body: &mut Vec<u8>, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let mut lines: Vec<Vec<u8>> = body.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    change(&mut lines);
    *body = lines.concat();
}
