//! Packs the guests of `guests/dist` into the crate, if they were built. Without them the build
//! still succeeds, and `shipped_guests::all` is empty. The output of `shipped_guests::prepare` is
//! packed too, if it was made from exactly that guest. `HOLM_GUESTS` names another folder. With
//! `HOLM_GUESTS_OUTLINES=yes`, a guest that has compiled code is packed only as an outline. This is
//! for distributed programs, which then never compile a guest.

#[cfg(feature = "wasm")]
#[path = "build/guests.rs"]
mod guests;

#[cfg(feature = "wasm")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    guests::pack()
}

#[cfg(not(feature = "wasm"))]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
