//! Every tool call is judged, so judging an ordinary one must cost next to nothing.

#![expect(unsafe_code, reason = "an allocator that counts can only be written with unsafe")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use holm_grants::{
    DenialSet, GrantError, GrantPolicy, GrantSet, NeedTemplate, PolicyDecision, TemplateError,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; only a counter of this thread moves.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

fn policy() -> Result<GrantPolicy, GrantError> {
    Ok(GrantPolicy {
        grants: GrantSet::parse(["exec:git", "read:src/*.rs", "read:**", "write:out/"])?,
        denials: DenialSet::parse(["path:**/.env", "path:**/.git/", "read:Secrets/", "env:*_KEY"])?,
    })
}

#[test]
fn deciding_about_a_path_allocates_nothing() -> Result<(), GrantError> {
    let policy = policy()?;
    for (request, granted) in [
        ("read:inbox/message 17", true),
        ("read:a/b/c/d/e.txt", true),
        ("read:a/.ENV", false),
        ("write:out/.git./config", false),
        ("read:secrets/x", false),
    ] {
        let request = request.parse()?;
        let count = allocations(|| {
            assert_eq!(matches!(policy.decide(&request), PolicyDecision::Granted(_)), granted, "{request}");
        });
        assert_eq!(count, 0, "{request}");
    }
    Ok(())
}

#[test]
fn what_a_call_needs_allocates_its_path_and_its_list() -> Result<(), TemplateError> {
    for (template, value) in
        [("read:{path}", "src/lib.rs"), ("read:inbox/{path}", "2024/a b.txt"), ("write:out/x-{path}", "1")]
    {
        let template: NeedTemplate = template.parse()?;
        let count = allocations(|| {
            assert_eq!(template.needs(|_| Some(value)).map(|needs| needs.len()), Ok(1));
        });
        assert_eq!(count, 2, "{template}");
    }
    Ok(())
}
