//! Finds the place of an error in a JSON text.
//!
//! The parser reports how many bytes it had read; a person or a model needs the
//! name of the argument.

/// The JSON pointer of the value that the byte at `at` belongs to; empty for the root.
pub(super) fn pointer_at(text: &str, at: usize) -> String {
    let bytes = text.as_bytes();
    let (mut stack, mut here): (Vec<Step>, usize) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(here) {
        match byte {
            b'"' => {
                let end = end_of_string(bytes, here);
                let content = text.get(here + 1..end).unwrap_or_default();
                if let Some(Step::Member { name, state: state @ Awaits::Name }) = stack.last_mut() {
                    *name = content.to_owned();
                    *state = Awaits::Value;
                }
                if at <= end {
                    return pointer(&stack);
                }
                here = end;
            }
            b'{' => stack.push(Step::Member { name: String::new(), state: Awaits::Name }),
            b'[' => stack.push(Step::Item(0)),
            b'}' | b']' => {
                stack.pop();
            }
            b',' => match stack.last_mut() {
                Some(Step::Member { state, .. }) => *state = Awaits::Name,
                Some(Step::Item(place)) => *place += 1,
                None => {}
            },
            _ => {}
        }
        if at <= here {
            return pointer(&stack);
        }
        here += 1;
    }
    pointer(&stack)
}

enum Step {
    Member { name: String, state: Awaits },
    Item(u64),
}

#[derive(PartialEq, Eq)]
enum Awaits {
    Name,
    Value,
}

fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut here = from + 1;
    while let Some(byte) = bytes.get(here) {
        match byte {
            b'"' => return here,
            b'\\' => here += 2,
            _ => here += 1,
        }
    }
    bytes.len()
}

fn pointer(stack: &[Step]) -> String {
    let mut out = String::new();
    for step in stack {
        match step {
            Step::Member { state: Awaits::Name, .. } => {}
            Step::Member { name, .. } => {
                out.push('/');
                out.push_str(&name.replace('~', "~0").replace('/', "~1"));
            }
            Step::Item(place) => out.push_str(&format!("/{place}")),
        }
    }
    out
}
