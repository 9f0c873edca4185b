use super::{RUNS, cancel_all, resident};
use crate::scratch;

#[test]
fn the_system_tells_how_much_memory_is_in_use() {
    let (now, peak) = (resident("VmRSS:"), resident("VmHWM:"));
    assert!(now.is_some_and(|now| now > 0.1), "{now:?}");
    assert!(peak >= now, "{peak:?} {now:?}");
    assert_eq!(resident("Nothing:"), None);
}

#[test]
fn every_run_that_is_cancelled_ends() {
    let store = scratch::open("test-crowd");
    let took = scratch::wide_runtime().block_on(cancel_all(store));
    assert!(took > 0.0, "{took} ms for {RUNS} runs");
}
