//! Finds the place of an error in a JSON text.
//!
//! The parser reports how many bytes it had read; a person or a model needs the name of the
//! argument. The text is valid JSON (`tool/invocation.rs` passes it), so this file validates
//! nothing.

/// The JSON pointer of the value that the byte at `at` belongs to; empty for the root.
pub(super) fn pointer_at(text: &str, at: usize) -> String {
    let bytes = text.as_bytes();
    let (mut stack, mut here): (Vec<PathStep>, usize) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(here) {
        match byte {
            b'"' => {
                let end = end_of_string(bytes, here);
                let content = text.get(here + 1..end).unwrap_or_default();
                if let Some(PathStep::Member { name, state: state @ MemberState::Name }) = stack.last_mut() {
                    *name = content.to_owned();
                    *state = MemberState::Value;
                }
                if at <= end {
                    return pointer(&stack);
                }
                here = end;
            }
            b'{' => stack.push(PathStep::Member { name: String::new(), state: MemberState::Name }),
            b'[' => stack.push(PathStep::Item(0)),
            b'}' | b']' => {
                stack.pop();
            }
            b',' => match stack.last_mut() {
                Some(PathStep::Member { state, .. }) => *state = MemberState::Name,
                Some(PathStep::Item(index)) => *index += 1,
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

enum PathStep {
    Member { name: String, state: MemberState },
    Item(u64),
}

#[derive(PartialEq, Eq)]
enum MemberState {
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

fn pointer(stack: &[PathStep]) -> String {
    let mut out = String::new();
    for step in stack {
        match step {
            PathStep::Member { state: MemberState::Name, .. } => {}
            PathStep::Member { name, .. } => {
                out.push('/');
                out.push_str(&name.replace('~', "~0").replace('/', "~1"));
            }
            PathStep::Item(index) => out.push_str(&format!("/{index}")),
        }
    }
    out
}
