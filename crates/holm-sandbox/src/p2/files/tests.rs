use std::fs;
use std::path::Path;

use holm_grants::{GrantPolicy, GrantSet};

use super::preopens::Host as _;
use super::*;
use crate::files::GuestAccess;

/// Does something with the files of a call that may read `file`.
fn with_view<T>(workspace: &Path, act: impl FnOnce(&mut FilesView<'_>) -> T) -> T {
    let policy = GrantPolicy { grants: GrantSet::parse(["read:file"]).unwrap(), ..GrantPolicy::default() };
    let files = GuestFiles::for_tests(GuestAccess::open(policy, Some(workspace)).unwrap(), 0);
    let (mut held, mut table) = (HashMap::new(), ResourceTable::new());
    let mut ctx = WasiFilesystemCtx::default();
    act(&mut FilesView { files: &files, held: &mut held, table: &mut table, ctx: &mut ctx })
}

/// The directory of the call, given a second time.
fn root(view: &mut FilesView<'_>) -> DescriptorHandle {
    view.get_directories().unwrap().pop().unwrap().0
}

#[test]
fn a_file_that_changed_since_it_was_opened_is_read_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, "one").unwrap();
    with_view(dir.path(), |view| {
        let root = root(view);
        let flags = (PathFlags::empty(), OpenFlags::empty(), DescriptorFlags::READ);
        let file = view.open(&root, flags.0, "file", flags.1, flags.2).unwrap();
        let read = |view: &mut FilesView<'_>, len, offset| {
            let (bytes, ends) = view.read_at(&file, len, offset).unwrap();
            (String::from_utf8(bytes).unwrap(), ends)
        };
        for (text, len, offset, expect, ends) in [
            ("one", 100, 0, "one", true),
            ("one", 100, 9, "", true),
            ("one and much more", 100, 0, "one and much more", true),
            ("one and much more", 7, 0, "one and", false),
            ("one and much more", 100, 8, "much more", true),
            ("on", 100, 0, "on", true),
            ("", 100, 0, "", true),
            ("one", 0, 0, "", true),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(read(view, len, offset), (expect.to_owned(), ends), "{text:?} {len} {offset}");
        }
    });
}

#[test]
fn asking_for_the_directories_again_opens_nothing() {
    let dir = tempfile::tempdir().unwrap();
    with_view(dir.path(), |view| {
        let (first, second) = (root(view), root(view));
        let handle = |handle: &DescriptorHandle| match view.table.get(handle).unwrap() {
            Descriptor::Dir(dir) => Arc::clone(&dir.dir),
            Descriptor::File(_) => panic!("it is a file"),
        };
        assert!(Arc::ptr_eq(&handle(&first), &handle(&second)));
    });
}
