use super::{Shipped, ShippedError, all};

#[test]
fn every_guest_comes_out_whole_and_says_what_it_asks_for() {
    for guest in all() {
        let bytes = guest.bytes().unwrap();
        assert!(bytes.starts_with(b"\0asm"), "{}", guest.name());
        assert!(guest.packed_size() < guest.size());
        assert!(crate::registry::Sidecar::parse(guest.sidecar()).is_ok(), "{}", guest.sidecar());
        assert!(!guest.sidecar().is_empty(), "{} has no tool.toml", guest.name());
    }
}

#[test]
fn a_damaged_guest_is_named() {
    // Five bytes, packed without compression.
    let whole: &[u8] = &[1, 5, 0, 0xfa, 0xff, b'h', b'e', b'l', b'l', b'o'];
    let guest = |size: usize, packed: &'static [u8]| Shipped { name: "x", size, sidecar: "", packed };
    assert_eq!(guest(5, whole).bytes(), Ok(b"hello".to_vec()));
    for (size, packed) in [(4, whole), (6, whole), (5, &whole[..7]), (5, &[])] {
        assert_eq!(guest(size, packed).bytes(), Err(ShippedError::Damaged("x")), "{size}");
    }
}
