use std::os::unix::ffi::OsStringExt as _;

use super::{
    EndCause, JailOrder, JailRoot, KernelBounds, ProcessStatus, RootAccess, SupervisorMessage,
    TemporaryFolder, is_plain,
};
use crate::engine::JailEngine;
use crate::jail::JailNetwork;

fn order() -> JailOrder {
    JailOrder {
        engine: JailEngine::Bubblewrap("/usr/bin/bwrap".into()),
        program: "/usr/bin/git".into(),
        args: vec!["commit".into(), "".into(), std::ffi::OsString::from_vec(vec![0xff, b'\n'])],
        env: vec![("LANG".into(), "C".into()), ("EMPTY".into(), "".into())],
        cwd: "/".into(),
        roots: vec![
            JailRoot::new("/w", RootAccess::Write),
            JailRoot::new("/w/.git", RootAccess::Protected),
            JailRoot::new("/usr/bin/git", RootAccess::Exec),
            JailRoot::new("/srv", RootAccess::Read),
        ],
        fixed: vec![("/srv/check.sh".into(), b"exit 2\0\n".to_vec())],
        temporary: Some(TemporaryFolder { folder: "/srv/t".into(), ways: ["/tmp/w".into()].into() }),
        network: JailNetwork::Open,
        bounds: KernelBounds { wall_ms: 1, cpu_s: 2, memory: 3, file_size: 4, files: 5, processes: u64::MAX },
    }
}

#[test]
fn an_order_is_read_as_it_was_written() {
    for engine in [order().engine, JailEngine::Landlock, JailEngine::Unconfined] {
        let order = JailOrder { engine, ..order() };
        assert_eq!(JailOrder::decode(&order.encode()), Some(order));
    }
}

#[test]
fn an_order_that_is_cut_or_longer_is_none() {
    let bytes = order().encode();
    for end in 0..bytes.len() {
        assert_eq!(JailOrder::decode(&bytes[..end]), None, "cut at {end}");
    }
    assert_eq!(JailOrder::decode(&[bytes.as_slice(), b"x"].concat()), None);
}

#[test]
fn an_order_with_a_changed_byte_is_none_or_another_order() {
    let bytes = order().encode();
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            assert_ne!(JailOrder::decode(&changed), Some(order()), "byte {at}");
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
    let order = JailOrder { cwd: "relative".into(), ..order() };
    assert_eq!(JailOrder::decode(&order.encode()), None);
}

#[test]
fn what_is_told_is_read_as_it_was_written() {
    let ended = |cause, status| SupervisorMessage::Ended { cause, status };
    for told in [
        SupervisorMessage::Started,
        SupervisorMessage::Failed { stage: 3, errno: -7, path: "/a/b".into() },
        ended(EndCause::Itself, ProcessStatus::Exited(255)),
        ended(EndCause::Clock, ProcessStatus::Signalled(9)),
        ended(EndCause::Asked, ProcessStatus::Exited(0)),
        ended(EndCause::Memory, ProcessStatus::Exited(0)),
    ] {
        let frame = told.encode();
        assert_eq!(u32::from_le_bytes(frame[..4].try_into().unwrap()) as usize, frame.len() - 4);
        assert_eq!(SupervisorMessage::decode(&frame[4..]), Some(told));
    }
    for broken in [&b""[..], b"q", b"e", b"ei", b"eix", b"f\0"] {
        assert_eq!(SupervisorMessage::decode(broken), None, "{broken:?}");
    }
}
