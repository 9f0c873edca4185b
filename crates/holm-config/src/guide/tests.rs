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

#[cfg(unix)]
#[test]
fn a_person_tells_all_agents_something_unless_others_could_have_written_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_str().unwrap().to_owned();
    let env = |name: &str| (name == "XDG_CONFIG_HOME").then(|| home.clone());
    assert_eq!(own_guidance(env), Ok(None));
    assert_eq!(own_guidance(|_| None), Ok(None));
    let path = own_guide(env).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "Be brief.").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(own_guidance(env), Ok(Some((path.clone(), "Be brief.".into()))));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(own_guidance(env).unwrap_err().problem, crate::ConfigProblem::Exposed);
}

#[cfg(unix)]
#[test]
fn a_guide_that_is_a_link_gives_way_to_a_file_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("other.md"), "x").unwrap();
    std::os::unix::fs::symlink("other.md", at("AGENTS.md")).unwrap();
    assert_eq!(guides(folder.path()), [at("AGENTS.md")], "so that somebody says why it is not heard");
    fs::write(at("CLAUDE.md"), "x").unwrap();
    assert_eq!(guides(folder.path()), [at("CLAUDE.md")]);
}
