use super::*;

/// A case folder with a skill and a workspace.
fn case() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [("skill/SKILL.md", ""), ("skill/out.json", "{}"), ("workspace/mail.txt", "Total: 5")]
    {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn read(folder: &Path, text: &str) -> Result<ContractCheck, String> {
    let text: ContractText = toml::from_str(text).map_err(|error| error.to_string())?;
    text.read(folder)
}

#[test]
fn arguments_are_values_or_texts_of_the_workspace() {
    let folder = case();
    let text = "skill = 'skill'\ninput = { kind = 'total', most = 3 }\ninput_files = { text = 'mail.txt' }";
    let check = read(folder.path(), text).unwrap();
    let expected = serde_json::json!({ "kind": "total", "most": 3, "text": "Total: 5" });
    assert_eq!(Value::Object(check.input.clone()), expected);
    let files: Vec<PathBuf> =
        ["SKILL.md", "out.json"].map(|name| folder.path().join("skill").join(name)).into();
    assert_eq!(check.files().unwrap(), files);
}

#[test]
fn a_skill_or_a_file_that_does_not_exist_is_an_error_and_so_is_one_outside_of_the_workspace() {
    let folder = case();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("workspace/link")).unwrap();
    for (text, expected) in [
        ("skill = 'none'", "has no SKILL.md"),
        ("skill = 'skill'\ninput_files = { text = 'none' }", "none: No such file"),
        (
            "skill = 'skill'\ninput_files = { text = '../skill/SKILL.md' }",
            "is not a path below the workspace",
        ),
        ("skill = 'skill'\ninput_files = { text = 'link' }", "leads out of the workspace"),
        ("skill = 'skill'\ninput_files = { text = 5 }", "must be a path below the workspace"),
        ("skill = 'skill'\ninput = { text = 'a' }\ninput_files = { text = 'mail.txt' }", "use one of them"),
    ] {
        let told = read(folder.path(), text).unwrap_err();
        assert!(told.contains(expected), "{text}: {told}");
    }
}
