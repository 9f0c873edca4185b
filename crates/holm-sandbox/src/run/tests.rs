use std::sync::Arc;
use std::time::Duration;

use holm_grants::{GrantPolicy, GrantSet};
use tokio::runtime::{Builder, Runtime};

use super::*;
use crate::cache::TrustedCode;
use crate::engine::{EnginePurpose, engine};
use crate::files::GuestAccess;
use crate::guest::{GuestLinkers, LoadedGuest};
use crate::limits::GuestLimits;
use crate::ticker::TICK;
use crate::ticker::tests::wait_until;
use crate::wasm_shape::WasmShape;

/// How soon a guest must have ended after it was cancelled.
const PROMISED: Duration = Duration::from_millis(50);

/// An engine whose clock only moves when a test says so.
struct Still {
    engine: Engine,
    io: Runtime,
}

impl Still {
    fn new() -> Self {
        Self {
            engine: engine(EnginePurpose::Run { guests: 1 }).unwrap(),
            io: Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap(),
        }
    }

    /// A module that makes the file `begun` and then does `then`.
    fn guest(&self, then: &str) -> Guest {
        let bytes = wat::parse_str(format!(
            r#"(module
                (import "wasi_snapshot_preview1" "path_open"
                    (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
                (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
                (memory (export "memory") 1) (data (i32.const 64) "begun")
                (func (export "_start")
                    (if (call $path_open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const 5) (i32.const 1)
                        (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 16)) (then unreachable))
                    {then}))"#
        ))
        .unwrap();
        let shape = WasmShape::of(&bytes).unwrap();
        let code = TrustedCode::from_compiler(self.engine.precompile_module(&bytes).unwrap());
        let code =
            GuestLinkers::new(&self.engine).unwrap().link(&self.engine, shape.kind, &code).unwrap().unwrap();
        Guest(Arc::new(LoadedGuest { shape, hash: [0; 32], code }))
    }

    /// Cancels a guest once it has begun, and moves the clock by this many ticks; returns how it
    /// ended.
    fn cancel(&self, guest: &Guest, ticks: u32) -> GuestStop {
        let folder = tempfile::tempdir().unwrap();
        let policy =
            GrantPolicy { grants: GrantSet::parse(["write:begun"]).unwrap(), ..GrantPolicy::default() };
        let limits =
            GuestLimits { fuel: u64::MAX, time: Duration::from_secs(3600), ..GuestLimits::default() };
        let call = GuestCall::new(GuestAccess::open(policy, Some(folder.path())).unwrap()).limits(limits);
        let host = CallHost { engine: &self.engine, io: self.io.handle() };
        let cancel = CancelSwitch::new();
        std::thread::scope(|scope| {
            let run = scope.spawn(|| host.run(guest, GuestFunction::Run, call, &cancel));
            assert!(wait_until(|| folder.path().join("begun").exists()), "it never began");
            cancel.cancel();
            (0..ticks).for_each(|_| self.engine.increment_epoch());
            let ended = wait_until(|| run.is_finished());
            // Nothing may be left running after any outcome, or this test would never end.
            self.engine.increment_epoch();
            assert!(ended, "it runs on after {ticks} ticks");
            run.join().unwrap().stop
        })
    }
}

#[test]
fn one_tick_ends_a_cancelled_guest_that_computes() {
    let still = Still::new();
    assert_eq!(still.cancel(&still.guest("(loop $l (br $l))"), 1), GuestStop::Cancelled);
    // The tick that ends it may have been missed by a moment, so it is the next one; and as much again for the way back.
    const { assert!(TICK.as_millis() * 4 <= PROMISED.as_millis()) };
}

#[test]
fn no_tick_is_needed_where_a_cancelled_guest_waits() {
    let still = Still::new();
    let sleeps =
        "(i32.store (i32.const 1040) (i32.const 1)) (i64.store (i32.const 1048) (i64.const 3600000000000))
        (drop (call $poll (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 4096)))";
    assert_eq!(still.cancel(&still.guest(sleeps), 0), GuestStop::Cancelled);
}
