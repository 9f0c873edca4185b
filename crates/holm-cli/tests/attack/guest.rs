//! A WASM tool that does harm once it is called, and until then looks like any other.

use crate::{
    command,
    outcome::Outcome,
    scene::Scene,
    wasi::{IMPORTS, escaped},
};

/// Where it lies.
const FILE: &str = "guest.wasm";

/// What it says of itself, and what it prints when nothing stopped it.
const HELP: &str = "Does something.\n\nUsage: guest [OPTIONS]\n\nOptions:\n  -h, --help  Print help\n";

/// Calls a guest that does this, with a file's name at hand.
pub(crate) fn guest(does: &str, path: &str, grants: &[String], mode: &str) -> Result<Outcome, String> {
    let mut scene = Scene::new()?;
    let bytes = wat::parse_str(module(does, path)).map_err(|error| error.to_string())?;
    scene.file(FILE, bytes)?;
    command::execute_in(&scene, &["tool", "execute", FILE, "{}"], grants, mode)
}

/// A command of WASI 0.1 that prints its help where it is asked for it. Otherwise it does its deed, and then says that it has.
///
/// `$say`, `$read` and `$write` print the help, print the named file, and write one; `$again` calls itself.
fn module(does: &str, path: &str) -> String {
    format!(
        r#"(module {IMPORTS}
    (memory (export "memory") 2)
    (table $table 1 funcref)
    (data (i32.const 100) "{path}")
    (data (i32.const 8192) "{help}")
    (func $print (param $to i32) (param $from i32) (param $length i32)
        (i32.store (i32.const 0) (local.get $from))
        (i32.store (i32.const 4) (local.get $length))
        (drop (call $fd_write (local.get $to) (i32.const 0) (i32.const 1) (i32.const 8))))
    (func $say (call $print (i32.const 1) (i32.const 8192) (i32.const {length})))
    (func $open (param $create i32) (param $rights i64)
        (if (call $path_open (i32.const 3) (i32.const 1) (i32.const 100) (i32.const {named})
                (local.get $create) (local.get $rights) (i64.const 0) (i32.const 0) (i32.const 12))
            (then (call $exit (i32.const 1)))))
    (func $read
        (call $open (i32.const 0) (i64.const 2))
        (i32.store (i32.const 0) (i32.const 16384))
        (i32.store (i32.const 4) (i32.const 1000))
        (if (call $fd_read (i32.load (i32.const 12)) (i32.const 0) (i32.const 1) (i32.const 8))
            (then (call $exit (i32.const 1))))
        (call $print (i32.const 1) (i32.const 16384) (i32.load (i32.const 8))))
    (func $write
        (call $open (i32.const 1) (i64.const 64))
        (call $print (i32.load (i32.const 12)) (i32.const 8192) (i32.const {length})))
    (func $again (call $again))
    (func (export "_start")
        (drop (call $sizes (i32.const 16) (i32.const 20)))
        (if (i32.gt_u (i32.load (i32.const 16)) (i32.const 1)) (then (call $say) (return)))
        {does}
        (call $say)))"#,
        path = escaped(path),
        named = path.len(),
        help = escaped(HELP),
        length = HELP.len(),
    )
}
