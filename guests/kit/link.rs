//! The build script of every guest of the text world: a small stack.
//!
//! The linker's default is a megabyte. After each call the engine checks every page of a guest's
//! memory to find those that were written, so pages that no call ever uses cost time all the same.
//! JSON nests at most 128 deep, which needs a fraction of this.

fn main() {
    println!("cargo:rerun-if-changed=../kit/link.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family.contains("wasm")) {
        println!("cargo:rustc-link-arg-cdylib=-zstack-size=131072");
    }
}
