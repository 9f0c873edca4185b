use super::calls::turn;
use super::compressed_bytes::CompressedBytes;
use super::guest::PrecompiledGuest;
use super::outline::outline;
use super::pack::pack;
use super::{LazyWasmHost, ShippedGuest, ShippedGuestError, ShippedTool, all};
use crate::wasm::{WasmHost, WasmSettings};
use holm_sandbox::{CompilerProgram, Sandbox, SandboxSettings, WasmShape};

#[test]
fn every_guest_comes_out_whole_and_says_what_it_asks_for() {
    for guest in all() {
        let bytes = guest.bytes().unwrap();
        assert!(bytes.starts_with(b"\0asm"), "{}", guest.name());
        assert!(crate::registry::ToolSidecar::parse(guest.sidecar()).is_ok(), "{}", guest.sidecar());
        assert!(!guest.sidecar().is_empty(), "{} has no tool.toml", guest.name());
        if guest.is_prepared() {
            let (tool, keywords) = guest.declaration().unwrap();
            assert_eq!(tool.name, guest.name());
            assert!(!keywords.is_empty(), "{}", guest.name());
        }
    }
}

/// Five bytes, packed without compression.
const WHOLE: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 0x29, 0, 0, b'h', b'e', b'l', b'l', b'o'];
const CODE: CompressedBytes = CompressedBytes { size: 5, bytes: WHOLE };

fn guest(size: usize, bytes: &'static [u8], prepared: Option<PrecompiledGuest>) -> ShippedGuest {
    ShippedGuest { name: "x", sidecar: "", like: None, wasm: CompressedBytes { size, bytes }, prepared }
}

#[test]
fn a_damaged_guest_is_named() {
    assert_eq!(guest(5, WHOLE, None).bytes(), Ok(b"hello".to_vec()));
    for (size, packed) in [(4, WHOLE), (6, WHOLE), (5, &WHOLE[..12]), (5, &[])] {
        assert_eq!(guest(size, packed, None).bytes(), Err(ShippedGuestError::Damaged("x")), "{size}");
    }
}

#[test]
fn a_guest_that_is_like_none_that_is_there_is_damaged() {
    let guest = ShippedGuest { like: Some("nobody"), ..guest(5, WHOLE, None) };
    assert_eq!(guest.bytes(), Err(ShippedGuestError::Damaged("x")));
}

/// Bytes without a pattern that a packer could find.
fn noise(seed: u32) -> Vec<u8> {
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(seed), next).take(50_000).map(|state| state.to_be_bytes()[0]).collect()
}

fn packed(bytes: &[u8], known: &[u8]) -> CompressedBytes {
    CompressedBytes { size: bytes.len(), bytes: pack(bytes, known, 3).unwrap().leak() }
}

#[test]
fn what_is_packed_comes_out_again() {
    let bytes: Vec<u8> = (0..100_000_u32).map(|number| number.to_le_bytes()[0] / 3).collect();
    for bytes in [bytes.as_slice(), b"short", b""] {
        assert_eq!(packed(bytes, b"").unpack(b"").as_deref(), Some(bytes));
    }
    assert!(packed(&bytes, b"").bytes.len() < bytes.len() / 2);
}

#[test]
fn what_is_known_takes_no_room_and_must_be_known_again() {
    let known = noise(1);
    let bytes = [b"before".as_slice(), &known, b"after"].concat();
    let (alone, after) = (packed(&bytes, b""), packed(&bytes, &known));
    assert!(after.bytes.len() * 20 < alone.bytes.len(), "{} and {}", after.bytes.len(), alone.bytes.len());
    assert_eq!(after.unpack(&known), Some(bytes));
    for other in [Vec::new(), noise(2)] {
        assert_eq!(after.unpack(&other), None, "{}", other.len());
    }
}

#[test]
fn two_calls_of_one_function_become_the_same_bytes() {
    // To place 20, from places 0 and 8.
    let mut code = [0xe8, 20, 0, 0, 0, 1, 2, 3, 0xe8, 12, 0, 0, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let before = code;
    turn(&mut code, true);
    assert_eq!(code[..4], code[8..12], "{code:?}");
    turn(&mut code, false);
    assert_eq!(code, before);
}

#[test]
fn whatever_is_turned_can_be_turned_back() {
    // Many calls, near and far, and the last one cut off.
    let mut odd: Vec<u8> = noise(4).into_iter().map(|byte| if byte < 60 { 0xe8 } else { byte }).collect();
    odd.iter_mut().skip(3).step_by(4).for_each(|byte| *byte = if *byte > 128 { 0xff } else { 0 });
    odd.extend([0xe8, 1, 2]);
    for bytes in [odd, noise(5), vec![0xe8; 100], Vec::new()] {
        let mut turned = bytes.clone();
        turn(&mut turned, true);
        turn(&mut turned, false);
        assert!(turned == bytes, "{} bytes", bytes.len());
    }
}

const MODULE: &str = r#"(module
    (import "wasi" "exit" (func))
    (memory (export "memory") 1)
    (table 1 funcref)
    (func (export "run") call 0)
    (elem (i32.const 0) 1)
    (data (i32.const 0) "a text"))"#;

#[test]
fn an_outline_tells_what_the_module_imports_and_exports_and_has_none_of_its_code() {
    let module = wat::parse_str(MODULE).unwrap();
    let left = outline(&module, &[1; 32]).unwrap();
    let (whole, shape) = (WasmShape::of(&module).unwrap(), WasmShape::of(&left).unwrap());
    assert_eq!((shape.kind, &shape.imports, &shape.exports), (whole.kind, &whole.imports, &whole.exports));
    assert_eq!((whole.functions, shape.functions), (1, 0));
    assert!(!left.windows(6).any(|bytes| bytes == b"a text"), "{left:?}");
}

#[test]
fn two_modules_that_differ_in_their_code_alone_have_different_outlines() {
    let module = wat::parse_str(MODULE).unwrap();
    assert_ne!(outline(&module, &[1; 32]), outline(&module, &[2; 32]));
    assert_eq!(outline(&module, &[1; 32]), outline(&module, &[1; 32]));
}

#[test]
fn what_is_no_whole_module_has_no_outline() {
    let module = wat::parse_str(MODULE).unwrap();
    let component = wat::parse_str("(component)").unwrap();
    let endless = [&module[..8], &[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0]].concat();
    let cut = &module[..module.len() - 1];
    for bytes in [component.as_slice(), &endless, cut, &module[..7], b""] {
        assert_eq!(outline(bytes, &[1; 32]), None, "{bytes:?}");
    }
}

#[test]
fn a_changed_byte_is_seen() {
    let whole = packed(&noise(3), b"");
    let mut bytes = whole.bytes.to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    assert_eq!(CompressedBytes { bytes: bytes.leak(), ..whole }.unpack(b""), None);
}

#[test]
fn code_that_is_not_what_was_prepared_never_becomes_machine_code() {
    let settings = SandboxSettings::with_compiler(CompilerProgram::program("/nonexistent/compiler"));
    let host = WasmHost::new(Sandbox::new(settings).unwrap(), WasmSettings::default());
    let why = |sha256: &str| {
        let about = format!(
            r#"{{"tool":{{"name":"x","schema":{{"type":"object"}},"level":"none"}},"keywords":[],
            "code_sha256":"{sha256}","wasm_sha256":""}}"#
        );
        let prepared = PrecompiledGuest { about: about.leak(), code: CODE };
        let opened = guest(5, WHOLE, Some(prepared)).open(&host, &mut |_| {});
        opened.map(drop).unwrap_err().to_string()
    };
    let damaged = ShippedGuestError::Damaged("x").to_string();
    let of_hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    for other in ["", of_hello.trim_start_matches('2'), &of_hello.replace('2', "3"), &of_hello.to_uppercase()]
    {
        assert_eq!(why(other), damaged, "{other}");
    }
    // What was prepared goes on to the engine, which says that a greeting is no program.
    assert_ne!(why(of_hello), damaged);
}

#[test]
fn a_guest_that_was_not_prepared_or_whose_notes_are_damaged_is_no_tool() {
    let host = LazyWasmHost::new(|| Err("nobody may ask for it".to_owned()));
    for about in [None, Some(""), Some("{}"), Some("null")] {
        let prepared = about.map(|about| PrecompiledGuest { about, code: CODE });
        let guest: &'static ShippedGuest = Box::leak(Box::new(guest(5, WHOLE, prepared)));
        assert!(guest.declaration().is_none(), "{about:?}");
        assert!(ShippedTool::of(guest, &host).is_none(), "{about:?}");
    }
}

#[tokio::test]
async fn a_host_that_cannot_be_made_fails_the_call_and_says_why() {
    use holm_runtime::{Tool, ToolInvocation};
    let about = r#"{"tool":{"name":"x","schema":{"type":"object"},"level":"none"},"keywords":["k"],
        "code_sha256":"","wasm_sha256":""}"#;
    let prepared = Some(PrecompiledGuest { about, code: CODE });
    let guest: &'static ShippedGuest = Box::leak(Box::new(guest(5, WHOLE, prepared)));
    let host = LazyWasmHost::new(|| Err("no engine here".to_owned()));
    let tool = ShippedTool::of(guest, &host).unwrap();
    assert_eq!(tool.declaration().name, "x");
    for _ in 0..2 {
        assert!(tool.run(ToolInvocation::alone("{}")).await.text.contains("no engine here"));
    }
}
