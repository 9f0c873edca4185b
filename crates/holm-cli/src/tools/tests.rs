use std::fs;

use super::{folder::straight_below, *};

#[test]
fn every_tool_says_what_it_needs_or_can_do_nothing() {
    use holm::grants::Level;

    for tool in all().declarations() {
        assert!(tool.level == Level::None || !tool.needs.is_empty(), "{}", tool.name);
        assert!(!tool.description.is_empty(), "{}", tool.name);
        assert!(tool.level < Level::Execute, "{}", tool.name);
    }
}

#[test]
fn a_path_that_is_not_what_it_says_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir(root.join("inner")).unwrap();
    fs::write(root.join("inner/file.txt"), "x").unwrap();
    let check = |path: &str, expect: bool| {
        assert_eq!(straight_below(&root, path).is_ok(), expect, "{path}");
    };
    check("inner/file.txt", true);
    check("./inner/./file.txt", true);
    check("inner", true);
    check("missing.txt", false);
    check("inner/../inner/file.txt", false);
    check("../x", false);
    fs::write(root.join("inner/.env"), "x").unwrap();
    check("inner/.env", false);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc", root.join("etc")).unwrap();
        std::os::unix::fs::symlink("inner", root.join("alias")).unwrap();
        check("etc", false);
        check("etc/hostname", false);
        check("alias/file.txt", false);
    }
}
