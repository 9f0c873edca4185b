//! What stands in for the standard library in the package.
//!
//! The standard library formats the message of a panic before it stops, and there is nobody to show it to: JavaScript sees a trap either way.
//! Without it neither the messages nor the code that writes them are downloaded.

use core::panic::PanicInfo;

use dlmalloc::GlobalDlmalloc;

#[global_allocator]
static MEMORY: GlobalDlmalloc = GlobalDlmalloc;

#[panic_handler]
fn stop(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
