use std::fs;

use super::*;

#[test]
fn guides_come_from_the_root_to_the_folder_and_the_other_name_counts_where_the_first_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    let work = root.join("a/b");
    fs::create_dir_all(&work).unwrap();
    fs::create_dir(root.join(".git")).unwrap();
    for path in ["../AGENTS.md", "AGENTS.md", "CLAUDE.md", "a/CLAUDE.md", "a/b/AGENTS.md"] {
        fs::write(root.join(path), "x").unwrap();
    }
    assert_eq!(guides(&work), [root.join("AGENTS.md"), root.join("a/CLAUDE.md"), work.join("AGENTS.md")]);
    fs::remove_dir(root.join(".git")).unwrap();
    assert_eq!(guides(&work), [work.join("AGENTS.md")]);
}
