use super::guest::Prepared;
use super::packed::{Packed, pack};
use super::{LateHost, Shipped, ShippedError, ShippedTool, all};

#[test]
fn every_guest_comes_out_whole_and_says_what_it_asks_for() {
    for guest in all() {
        let bytes = guest.bytes().unwrap();
        assert!(bytes.starts_with(b"\0asm"), "{}", guest.name());
        assert!(crate::registry::Sidecar::parse(guest.sidecar()).is_ok(), "{}", guest.sidecar());
        assert!(!guest.sidecar().is_empty(), "{} has no tool.toml", guest.name());
        if guest.is_prepared() {
            let (tool, keywords) = guest.declaration().unwrap();
            assert_eq!(tool.name, guest.name());
            assert!(!keywords.is_empty(), "{}", guest.name());
        }
    }
}

/// Five bytes, packed without compression.
const WHOLE: &[u8] = &[1, 5, 0, 0xfa, 0xff, b'h', b'e', b'l', b'l', b'o'];

fn guest(size: usize, bytes: &'static [u8], prepared: Option<Prepared>) -> Shipped {
    Shipped { name: "x", sidecar: "", wasm: Packed { size, bytes }, prepared }
}

#[test]
fn a_damaged_guest_is_named() {
    assert_eq!(guest(5, WHOLE, None).bytes(), Ok(b"hello".to_vec()));
    for (size, packed) in [(4, WHOLE), (6, WHOLE), (5, &WHOLE[..7]), (5, &[])] {
        assert_eq!(guest(size, packed, None).bytes(), Err(ShippedError::Damaged("x")), "{size}");
    }
}

#[test]
fn what_is_packed_comes_out_again() {
    let bytes: Vec<u8> = (0..100_000_u32).map(|number| number.to_le_bytes()[0] / 3).collect();
    let packed = pack(&bytes).unwrap();
    assert!(packed.len() < bytes.len() / 2);
    assert_eq!(Packed { size: bytes.len(), bytes: packed.leak() }.unpack(), Some(bytes));
}

#[test]
fn a_guest_that_was_not_prepared_or_whose_notes_are_damaged_is_no_tool() {
    let host = LateHost::new(|| Err("nobody may ask for it".to_owned()));
    for about in [None, Some(""), Some("{}"), Some("null")] {
        let prepared = about.map(|about| Prepared { about, code: WHOLE });
        let guest: &'static Shipped = Box::leak(Box::new(guest(5, WHOLE, prepared)));
        assert!(guest.declaration().is_none(), "{about:?}");
        assert!(ShippedTool::of(guest, &host).is_none(), "{about:?}");
    }
}

#[tokio::test]
async fn a_host_that_cannot_be_made_fails_the_call_and_says_why() {
    use holm_runtime::{Job, Tool};
    let about = r#"{"tool":{"name":"x","schema":{"type":"object"},"level":"none"},"keywords":["k"],
        "code_size":5,"code_sha256":"","wasm_sha256":""}"#;
    let prepared = Some(Prepared { about, code: WHOLE });
    let guest: &'static Shipped = Box::leak(Box::new(guest(5, WHOLE, prepared)));
    let host = LateHost::new(|| Err("no engine here".to_owned()));
    let tool = ShippedTool::of(guest, &host).unwrap();
    assert_eq!(tool.declaration().name, "x");
    for _ in 0..2 {
        assert!(tool.run(Job::alone("{}")).await.text.contains("no engine here"));
    }
}
