//! Replaces parts of the standard library in the package.
//!
//! The standard library formats the message of a panic before it stops, and JavaScript sees only a
//! trap. Without it, neither the messages nor the code that formats them are downloaded.

use core::panic::PanicInfo;

use dlmalloc::GlobalDlmalloc;

#[global_allocator]
static MEMORY: GlobalDlmalloc = GlobalDlmalloc;

#[panic_handler]
fn stop(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
