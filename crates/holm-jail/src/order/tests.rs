use std::os::unix::ffi::OsStringExt as _;

use super::{Access, Bounds, Cause, Order, Root, Status, Told, is_plain};
use crate::engine::Engine;
use crate::jail::Network;

fn order() -> Order {
    Order {
        engine: Engine::Bubblewrap("/usr/bin/bwrap".into()),
        program: "/usr/bin/git".into(),
        args: vec!["commit".into(), "".into(), std::ffi::OsString::from_vec(vec![0xff, b'\n'])],
        env: vec![("LANG".into(), "C".into()), ("EMPTY".into(), "".into())],
        cwd: "/".into(),
        roots: vec![
            Root::new("/w", Access::Write),
            Root::new("/w/.git", Access::Protected),
            Root::new("/usr/bin/git", Access::Exec),
            Root::new("/srv", Access::Read),
        ],
        fixed: vec![("/srv/check.sh".into(), b"exit 2\0\n".to_vec())],
        network: Network::Open,
        bounds: Bounds { wall_ms: 1, cpu_s: 2, memory: 3, file_size: 4, files: 5, processes: u64::MAX },
    }
}

#[test]
fn an_order_is_read_as_it_was_written() {
    for engine in [order().engine, Engine::Landlock, Engine::Unconfined] {
        let order = Order { engine, ..order() };
        assert_eq!(Order::decode(&order.encode()), Some(order));
    }
}

#[test]
fn an_order_that_is_cut_or_longer_is_none() {
    let bytes = order().encode();
    for end in 0..bytes.len() {
        assert_eq!(Order::decode(&bytes[..end]), None, "cut at {end}");
    }
    assert_eq!(Order::decode(&[bytes.as_slice(), b"x"].concat()), None);
}

#[test]
fn an_order_with_a_changed_byte_is_none_or_another_order() {
    let bytes = order().encode();
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            assert_ne!(Order::decode(&changed), Some(order()), "byte {at}");
        }
    }
}

#[test]
fn a_path_says_where_it_leads_or_is_refused() {
    for path in ["/", "/a", "/a/b.c/..d", "/a b"] {
        assert!(is_plain(path.as_ref()), "{path}");
    }
    for path in ["", "a", "./a", "../a", "/a/../b", "/a/./b", "/a/", "//a", "/a//b", "/..", "~"] {
        assert!(!is_plain(path.as_ref()), "{path}");
    }
    let order = Order { cwd: "relative".into(), ..order() };
    assert_eq!(Order::decode(&order.encode()), None);
}

#[test]
fn what_is_told_is_read_as_it_was_written() {
    let ended = |cause, status| Told::Ended { cause, status };
    for told in [
        Told::Started,
        Told::Failed { stage: 3, errno: -7, path: "/a/b".into() },
        ended(Cause::Itself, Status::Exited(255)),
        ended(Cause::Clock, Status::Signalled(9)),
        ended(Cause::Asked, Status::Exited(0)),
        ended(Cause::Memory, Status::Exited(0)),
    ] {
        let frame = told.encode();
        assert_eq!(u32::from_le_bytes(frame[..4].try_into().unwrap()) as usize, frame.len() - 4);
        assert_eq!(Told::decode(&frame[4..]), Some(told));
    }
    for broken in [&b""[..], b"q", b"e", b"ei", b"eix", b"f\0"] {
        assert_eq!(Told::decode(broken), None, "{broken:?}");
    }
}
