//! Packs the guests of `guests/dist` into the crate, where they were built. Without them the build is the same and holds none;
//! `shipped::all` then is empty. What `shipped::prepare` made of a guest goes with it, if it is of that very guest.
//! `HOLM_GUESTS` names another folder; with `HOLM_GUESTS_OUTLINES=yes` only an outline of a guest goes with its code, for a program
//! that is handed out: nobody compiles it then, whatever happens.

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
