//! From bytes to a guest: compiled once, kept under seal, made again when anything is wrong, and
//! never at any price.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use holm_sandbox::{
    CompileError, CompilerProgram, GuestLoadError, GuestStop, PrecompiledCode, Sandbox, SandboxSettings,
    WasmShapeError, prepare,
};

use crate::evil;
use crate::kit::{bare, componentise, of_another_version, program, sandbox, settings, try_load};

fn hello() -> Vec<u8> {
    wat::parse_str(program(r#"(func (export "_start") (call $byte (i32.const 33)))"#)).unwrap()
}

fn cached(folder: &Path, compiler: CompilerProgram) -> Sandbox {
    Sandbox::new(SandboxSettings { cache: Some(folder.to_owned()), compiler, guests: 2 }).unwrap()
}

fn code_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "cwasm")).collect()
}

/// A compiler that does not exist, so a successful load did not compile.
fn none() -> CompilerProgram {
    CompilerProgram::program("/nonexistent/compiler")
}

#[test]
fn a_guest_is_compiled_once_and_then_comes_from_the_cache() {
    let dir = tempfile::tempdir().unwrap();
    let first = cached(dir.path(), settings().compiler);
    let guest = first.load(&hello(), &mut |_| {}).unwrap();
    assert_eq!(first.run_here(&guest, bare()).stdout, b"!");
    assert_eq!(code_files(dir.path()).len(), 1);
    let second = cached(dir.path(), none());
    let guest = second.load(&hello(), &mut |_| {}).unwrap();
    assert_eq!(second.run_here(&guest, bare()).stdout, b"!");
    let other = wat::parse_str(program(r#"(func (export "_start"))"#)).unwrap();
    let error = second.load(&other, &mut |_| {}).unwrap_err();
    assert!(matches!(error, GuestLoadError::Compile(CompileError::Unavailable(_))), "{error}");
}

#[test]
fn the_same_bytes_are_held_once_in_memory() {
    let first = sandbox().load(&hello(), &mut |_| {}).unwrap();
    let second = sandbox().load(&hello(), &mut |_| panic!("it is compiled a second time")).unwrap();
    assert_eq!(first.hash(), second.hash());
}

#[test]
fn a_damaged_or_foreign_file_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    cached(dir.path(), settings().compiler).load(&hello(), &mut |_| {}).unwrap();
    let [path] = &code_files(dir.path())[..] else { panic!("one file") };
    let good = fs::read(path).unwrap();
    let flipped = {
        let mut bytes = good.clone();
        *bytes.last_mut().unwrap() ^= 1;
        bytes
    };
    // Code of another engine, without our seal, is what an attacker would put there.
    for bad in [flipped, good[..good.len() / 2].to_vec(), Vec::new(), b"\x7fELF".to_vec()] {
        fs::write(path, &bad).unwrap();
        assert!(cached(dir.path(), none()).load(&hello(), &mut |_| {}).is_err());
        let sandbox = cached(dir.path(), settings().compiler);
        let guest = sandbox.load(&hello(), &mut |_| {}).unwrap();
        assert_eq!(sandbox.run_here(&guest, bare()).stdout, b"!");
        assert!(cached(dir.path(), none()).load(&hello(), &mut |_| {}).is_ok());
    }
}

#[test]
fn compiled_code_is_never_accepted_as_a_guest() {
    let dir = tempfile::tempdir().unwrap();
    cached(dir.path(), settings().compiler).load(&hello(), &mut |_| {}).unwrap();
    let sealed = fs::read(&code_files(dir.path())[0]).unwrap();
    // Behind our own head and seal stands what the engine would load.
    let code = &sealed[40..];
    assert_eq!(
        sandbox().load(code, &mut |_| {}).unwrap_err(),
        GuestLoadError::Shape(WasmShapeError::Precompiled)
    );
    assert!(matches!(
        sandbox().load(&sealed, &mut |_| {}),
        Err(GuestLoadError::Shape(WasmShapeError::Malformed(_)))
    ));
}

/// Vouches for code as a program does for what it carries.
fn vouched(code: Vec<u8>) -> PrecompiledCode {
    #[expect(
        unsafe_code,
        reason = "the tests prepared the code themselves, or know that the engine refuses it"
    )]
    // SAFETY: as the reason says.
    unsafe {
        PrecompiledCode::new(code)
    }
}

#[test]
fn code_that_came_with_the_program_needs_no_compiler() {
    let alone =
        Sandbox::new(SandboxSettings { guests: 2, ..SandboxSettings::with_compiler(none()) }).unwrap();
    for bytes in [hello(), componentise(&hello())] {
        assert!(alone.load(&bytes, &mut |_| {}).is_err(), "there is no compiler");
        let guest = alone.load_ready(&bytes, vouched(prepare(&bytes).unwrap()), &mut |_| {}).unwrap();
        assert_eq!(alone.run_here(&guest, bare()).stdout, b"!");
    }
}

#[test]
fn code_of_another_version_is_not_run_but_made_again() {
    let bytes = hello();
    let other = of_another_version(prepare(&bytes).unwrap());
    let alone =
        Sandbox::new(SandboxSettings { guests: 2, ..SandboxSettings::with_compiler(none()) }).unwrap();
    for code in [other, Vec::new(), b"\x7fELF".to_vec()] {
        let error = alone.load_ready(&bytes, vouched(code.clone()), &mut |_| {}).unwrap_err();
        assert!(matches!(error, GuestLoadError::Compile(CompileError::Unavailable(_))), "{error}");
        let able = Sandbox::new(SandboxSettings { guests: 2, ..settings() }).unwrap();
        let guest = able.load_ready(&bytes, vouched(code), &mut |_| {}).unwrap();
        assert_eq!(able.run_here(&guest, bare()).stdout, b"!");
    }
}

#[test]
fn only_guests_are_prepared() {
    assert!(matches!(prepare(b"no guest"), Err(GuestLoadError::Shape(_))));
    let code = prepare(&hello()).unwrap();
    assert_eq!(prepare(&code), Err(GuestLoadError::Shape(WasmShapeError::Precompiled)));
}

#[test]
fn prepared_code_carries_no_names_of_functions() {
    for bytes in [hello(), componentise(&hello())] {
        let code = prepare(&bytes).unwrap();
        assert!(!code.windows(9).any(|bytes| bytes == b"function["), "they take room for nothing");
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_told() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let settings = SandboxSettings { cache: Some(dir.path().join("file/cache")), ..settings() };
    assert!(matches!(Sandbox::new(settings), Err(holm_sandbox::SandboxError::Cache { .. })));
}

#[test]
fn this_program_does_not_compile_unless_it_says_so() {
    // The test harness never called `compiler_main`; started again it would run all tests.
    assert_eq!(CompilerProgram::itself(), Err(holm_sandbox::CompilerError::NotPrepared));
}

#[test]
fn invalid_code_is_told_with_its_reason() {
    let wat = r#"(module (func (export "_start") i32.const 0))"#;
    let error = try_load(wat).unwrap_err();
    assert!(
        matches!(&error, GuestLoadError::Compile(CompileError::Invalid(why)) if !why.is_empty()),
        "{error}"
    );
}

#[test]
fn a_compile_bomb_is_cut_after_a_second_of_work() {
    let bytes = evil::bomb(200, 3_000);
    assert!(bytes.len() < 40_000, "{} bytes", bytes.len());
    let began = Instant::now();
    let mut told = 0;
    let error = sandbox().load(&bytes, &mut |_| told += 1).unwrap_err();
    let took = began.elapsed();
    let GuestLoadError::Compile(CompileError::TooSlow { cpu_seconds, wall }) = error else {
        panic!("{error} after {took:?}")
    };
    assert_eq!(cpu_seconds, 1);
    // One second of a processor; how long that takes depends on who else wants it.
    assert!(took < wall + Duration::from_secs(30), "{took:?}");
    assert!(told > 3, "{told}");
}

/// Many plain functions, as a compiler would write them.
pub(crate) fn honest(functions: usize) -> Vec<u8> {
    let body = "local.get 0 i32.const 17 i32.mul local.get 1 i32.add i32.load offset=64 local.tee 1 local.get 0 i32.store \
                local.get 1 i32.const 255 i32.and if local.get 0 i32.const 1 i32.add local.set 0 end ";
    let one = format!("(func (param i32 i32) (result i32) {} local.get 1)", body.repeat(8));
    let wat = program(&format!(
        r#"{} (func (export "_start") (call $byte (i32.const 33)))"#,
        one.repeat(functions)
    ));
    wat::parse_str(wat).unwrap()
}

#[test]
fn an_honest_large_guest_passes_and_progress_is_told() {
    let bytes = honest(4_000);
    assert!(bytes.len() > 1 << 20, "{} bytes", bytes.len());
    let mut told = Vec::new();
    let guest = sandbox().load(&bytes, &mut |progress| told.push(progress)).unwrap();
    assert_eq!(sandbox().run_here(&guest, bare()).stdout, b"!");
    // How often depends on how fast the machine is.
    assert!(told.iter().all(|progress| progress.size == bytes.len() && progress.elapsed <= progress.budget));
    assert!(told.is_sorted_by_key(|progress| progress.elapsed));
}

#[test]
fn a_load_needs_no_grant_and_leaves_no_process() {
    let guest = sandbox().load(&hello(), &mut |_| {}).unwrap();
    assert_eq!(sandbox().run_here(&guest, bare()).stop, GuestStop::Returned);
}
