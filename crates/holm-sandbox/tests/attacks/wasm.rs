//! Modules that no text format would let pass, byte by byte.

/// A module of sections: number, how many entries it says it has, and one entry as often as it is there.
pub(crate) fn binary(sections: &[(u8, usize, &[u8], usize)]) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    for (number, says, entry, times) in sections {
        let mut content = leb(*says);
        content.extend(entry.repeat(*times));
        module.push(*number);
        module.extend(leb(content.len()));
        module.extend(content);
    }
    module
}

/// A module of one function with this code.
pub(crate) fn one_function(code: &[u8]) -> Vec<u8> {
    let mut body = leb(code.len() + 2);
    body.push(0);
    body.extend(code);
    body.push(0x0b);
    binary(&[(1, 1, b"\x60\0\0", 1), (3, 1, b"\0", 1), (10, 1, &body, 1)])
}

/// A number as the binary format writes it.
pub(crate) fn leb(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}

/// Components within components, deeper than any text.
pub(crate) fn nested_components(depth: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = b"\0asm\x0d\0\x01\0".to_vec();
    for _ in 0..depth {
        let mut outer = b"\0asm\x0d\0\x01\0\x04".to_vec();
        outer.extend(leb(bytes.len()));
        outer.extend(bytes);
        bytes = outer;
    }
    bytes
}

/// Nested loops around many locals: small, valid, and worth minutes of compiling.
pub(crate) fn bomb(loops: usize, locals: usize) -> Vec<u8> {
    let open: String = (0..loops).map(|i| format!("loop local.get {} drop ", i % locals)).collect();
    let sets: String = (0..locals)
        .map(|i| format!("local.get {} i32.const 1 i32.add local.set {i} ", (i * 7) % locals))
        .collect();
    let close: String = (0..loops).map(|_| "i32.const 0 br_if 0 end ".to_owned()).collect();
    let locals = "i32 ".repeat(locals);
    wat::parse_str(format!(r#"(module (func (export "_start") (local {locals}) {open} {sets} {close}))"#))
        .unwrap()
}
