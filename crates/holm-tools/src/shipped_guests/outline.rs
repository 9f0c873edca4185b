//! Reduces a module that will never be compiled to its outline. The build and the tests use this.
//!
//! If the compiled code of a guest is in the program, only the imports and exports of the guest
//! itself are read again. The functions and the data, which are most of its bytes, are already in
//! that code. The outline is packed by `pack.rs` and used by `guest.rs`.

/// The first bytes of a module. A component begins otherwise.
const MODULE: &[u8] = b"\0asm\x01\0\0\0";
/// The functions and their types, what fills tables and memories, and how many of the last there
/// are. Readers compare these numbers, so all go together.
const LEFT_OUT: [u8; 5] = [3, 9, 10, 11, 12];
/// A section of one's own: its kind, and its name with the length before it.
const CUSTOM: u8 = 0;
const NAME: &[u8] = b"\x07outline";

/// The module without its functions and data. It includes the hash of the original, so that no two
/// modules have the same outline. Returns `None` if the bytes are not a module, or damaged.
pub(super) fn outline(module: &[u8], hash: &[u8]) -> Option<Vec<u8>> {
    let mut rest = module.strip_prefix(MODULE)?;
    let mut outline = MODULE.to_vec();
    while let Some((kind, after)) = rest.split_first() {
        let (size, after) = number(after)?;
        let head = rest.len().checked_sub(after.len())?;
        let (section, next) = rest.split_at_checked(head.checked_add(size)?)?;
        if !LEFT_OUT.contains(kind) {
            outline.extend_from_slice(section);
        }
        rest = next;
    }
    // One byte is enough for the size of a name and a hash.
    let size = u8::try_from(NAME.len().checked_add(hash.len())?).ok().filter(|size| *size < 0x80)?;
    outline.extend_from_slice(&[CUSTOM, size]);
    outline.extend_from_slice(NAME);
    outline.extend_from_slice(hash);
    Some(outline)
}

/// A number as WASM writes it, seven bits a byte, and what comes after it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (mut value, mut rest) = (0_u32, bytes);
    for shift in [0_u32, 7, 14, 21, 28] {
        let (byte, after) = rest.split_first()?;
        rest = after;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if *byte < 0x80 {
            return Some((usize::try_from(value).ok()?, rest));
        }
    }
    None
}
