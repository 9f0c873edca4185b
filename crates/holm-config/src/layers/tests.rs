use std::fs;

use super::*;

fn layer(text: &str, layer: ConfigLayer) -> ConfigSettings {
    ConfigSettings::read(text, Path::new(&format!("/{}.toml", layer.as_str())), layer).unwrap()
}

fn layers(user: &str, project: &str, policy: &str) -> ConfigLayers {
    ConfigLayers {
        user: layer(user, ConfigLayer::User),
        project: layer(project, ConfigLayer::Project),
        policy: layer(policy, ConfigLayer::Policy),
        ..ConfigLayers::default()
    }
}

/// What holds, a key and its origin a line.
fn settled(layers: ConfigLayers, flags: ConfigSettings) -> Vec<String> {
    let rows = layers.settle(flags).rows();
    rows.iter().map(|row| format!("{} {} {}", row.key, row.value, row.origin)).collect()
}

#[test]
fn later_layers_win_and_say_so() {
    let mut all =
        layers("model = \"u/u\"\nsystem = \"u\"\ntools = \"all\"", "model = \"p/p\"\nsystem = \"p\"", "");
    all.environment =
        ConfigSettings::from_environment(|name| (name == "HOLM_MODEL").then(|| "e/e".into())).unwrap();
    let expect = ["model \"e/e\" $HOLM_MODEL", "system \"p\" /project.toml:2", "tools \"all\" /user.toml:3"];
    assert_eq!(settled(all.clone(), ConfigSettings::default()), expect);
    let flags = ConfigSettings {
        model: Some(SettingValue::flag("--model", "f/f".into())),
        ..ConfigSettings::default()
    };
    assert_eq!(settled(all.clone(), flags.clone())[0], "model \"f/f\" --model");
    all.policy = layer("model = \"a/a\"", ConfigLayer::Policy);
    assert_eq!(settled(all, flags)[0], "model \"a/a\" /policy.toml:1");
}

#[test]
fn a_project_narrows_grants_and_limits_and_never_widens_them() {
    let check = |user: &str, project: &str, expect: &[&str]| {
        assert_eq!(
            settled(layers(user, project, ""), ConfigSettings::default()),
            expect,
            "{user} | {project}"
        );
    };
    check(
        "grants = [\"read:**\"]",
        "grants = [\"read:src/**\", \"write:**\"]",
        &["grants \"read:src/**\" /project.toml:1"],
    );
    check("", "grants = [\"read:**\"]", &[]);
    check("grants = [\"read:src/**\"]", "grants = [\"read:**\"]", &["grants \"read:src/**\" /user.toml:1"]);
    check("grants = [\"read:**\"]", "grants = []", &[]);
    check("[limits]\nturns = 5", "[limits]\nturns = 9", &["limits.turns 5 /user.toml:2"]);
    check("[limits]\nturns = 5", "[limits]\nturns = 2", &["limits.turns 2 /project.toml:2"]);
    check(
        "[limits]\nbudget = \"1\"",
        "[limits]\nbudget = \"2\"",
        &["limits.budget \"1.00usd\" /user.toml:2"],
    );
    check("", "[limits]\nbudget = \"2\"", &["limits.budget \"2.00usd\" /project.toml:2"]);
}

#[test]
fn an_agent_of_a_project_is_bound_and_the_users_own_is_not() {
    let agent =
        || layer("model = \"x/x\"\nmode = \"full\"\ngrants = [\"read:**\", \"write:**\"]", ConfigLayer::User);
    let user = "model = \"u/u\"\ngrants = [\"read:src/**\"]";
    let of = |owner: ConfigLayer| {
        let rows = layers(user, "model = \"p/p\"", "")
            .with_agent(agent(), owner)
            .settle(ConfigSettings::default())
            .rows();
        rows.iter().map(|row| format!("{} {}", row.key, row.value)).collect::<Vec<_>>()
    };
    let all = ["model \"x/x\"", "mode \"full\"", "grants \"read:**\"", "grants \"write:**\""];
    assert_eq!(of(ConfigLayer::User), all);
    assert_eq!(of(ConfigLayer::Project), ["model \"x/x\"", "grants \"read:src/**\""]);
    let plan =
        layers(user, "", "").with_agent(layer("mode = \"plan\"", ConfigLayer::User), ConfigLayer::Project);
    assert_eq!(plan.settle(ConfigSettings::default()).mode.unwrap().value, Mode::Plan);
}

#[test]
fn what_is_denied_adds_up_and_flags_add_what_they_grant() {
    let all =
        layers("grants = [\"read:a\"]\n[commands]\ndeny = [\"git push\"]", "[commands]\ndeny = [\"rm\"]", "");
    let grant = |text: &str| SettingValue::flag("--grant", text.parse().unwrap());
    let flags =
        ConfigSettings { grants: Some(vec![grant("read:b"), grant("write:c")]), ..ConfigSettings::default() };
    let expect = [
        "grants \"read:a\" /user.toml:1",
        "grants \"read:b\" --grant",
        "grants \"write:c\" --grant",
        "commands.deny \"git push\" /user.toml:3",
        "commands.deny \"rm\" /project.toml:2",
    ];
    assert_eq!(settled(all, flags), expect);
}

#[test]
fn nothing_passes_a_policy() {
    let grant = |text: &str| SettingValue::flag("--grant", text.parse().unwrap());
    let flags = ConfigSettings {
        mode: Some(SettingValue::flag("--mode", Mode::Full)),
        grants: Some(vec![grant("read:src/a"), grant("write:**")]),
        turns: Some(SettingValue::flag("--turns", 100)),
        ..ConfigSettings::default()
    };
    let policy = "mode = \"default\"\ngrants = [\"read:**\"]\n[limits]\nturns = 10\nbudget = \"1\"\n";
    let expect = [
        "mode \"default\" /policy.toml:1",
        "grants \"read:src/a\" --grant",
        "limits.turns 10 /policy.toml:4",
        "limits.budget \"1.00usd\" /policy.toml:5",
    ];
    assert_eq!(settled(layers("", "", policy), flags), expect);
    // What is narrower than the policy stays as it was asked.
    let plan =
        ConfigSettings { mode: Some(SettingValue::flag("--mode", Mode::Plan)), ..ConfigSettings::default() };
    assert_eq!(settled(layers("", "", "mode = \"default\""), plan), ["mode \"plan\" --mode"]);
    // A wide policy does not grant more than was asked for.
    let wide = layers("", "", "mode = \"full\"\ngrants = [\"read:**\"]");
    assert_eq!(settled(wide, ConfigSettings::default()), Vec::<String>::new());
    assert_eq!(
        settled(layers("", "", "mode = \"plan\""), ConfigSettings::default()),
        ["mode \"plan\" /policy.toml:1"]
    );
}

#[test]
fn of_two_policies_the_stricter_holds() {
    let first = layer("mode = \"plan\"\nmodel = \"a/a\"\n[limits]\nturns = 9", ConfigLayer::Policy);
    let second = layer("mode = \"full\"\nmodel = \"b/b\"\n[limits]\nturns = 3", ConfigLayer::Policy);
    let bound = second.and(first);
    let rows: Vec<String> = bound.rows().iter().map(|row| format!("{} {}", row.key, row.value)).collect();
    assert_eq!(rows, ["model \"b/b\"", "mode \"plan\"", "limits.turns 3"]);
}

#[test]
fn a_policy_that_allows_more_than_the_default_still_bounds_what_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("policy.toml");
    fs::write(&policy, "mode = \"accept-edits\"\ngrants = [\"read:**\"]\n").unwrap();
    let found = ConfigFiles { policies: vec![(policy, ExplicitPath::No)], ..ConfigFiles::default() };
    let loaded = ConfigLayers::load(&found, |_, _| Ok(()), |_| None).unwrap();
    let wide: GrantSet =
        ["read:**", "write:**"].iter().map(|grant| grant.parse::<Grant>().unwrap()).collect();
    let flags = ConfigSettings {
        mode: Some(SettingValue::flag("--mode", Mode::Full)),
        grants: Some(wide.iter().map(|grant| SettingValue::flag("--grant", grant.clone())).collect()),
        ..ConfigSettings::default()
    };
    let held = loaded.layers.settle(flags);
    assert_eq!(held.mode.map(|mode| mode.value), Some(Mode::AcceptEdits));
    let grants: Vec<String> =
        held.grants.into_iter().flatten().map(|grant| grant.value.to_string()).collect();
    assert_eq!(grants, ["read:**"]);
}

#[test]
fn a_policy_that_somebody_named_and_that_is_not_there_is_refused() {
    let missing = tempfile::tempdir().unwrap().path().join("policy.toml");
    let load = |named| {
        let found = ConfigFiles { policies: vec![(missing.clone(), named)], ..ConfigFiles::default() };
        ConfigLayers::load(&found, |_, _| Ok(()), |_| None)
    };
    assert!(load(ExplicitPath::No).is_ok());
    let error = load(ExplicitPath::Yes).unwrap_err();
    assert_eq!((error.path, error.problem), (missing.clone(), ConfigProblem::Missing));
}

#[test]
fn a_project_file_that_nobody_trusts_is_inert_whatever_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("holm.toml");
    fs::write(&project, "mode = \"full\"\nthis is no toml").unwrap();
    let found = ConfigFiles { project: Some(project.clone()), ..ConfigFiles::default() };
    let loaded = ConfigLayers::load(&found, |_, _| Err("you have not trusted it".into()), |_| None).unwrap();
    assert_eq!(loaded.layers, ConfigLayers::default());
    assert_eq!(loaded.inert, [(project.clone(), "you have not trusted it".to_owned())]);
    let error = ConfigLayers::load(&found, |_, _| Ok(()), |_| None).unwrap_err();
    assert_eq!(error.path, project);
    fs::write(&project, "model = \"a/b\"").unwrap();
    let loaded = ConfigLayers::load(
        &found,
        |path, bytes| {
            assert_eq!((path, bytes), (project.as_path(), &b"model = \"a/b\""[..]));
            Ok(())
        },
        |_| None,
    );
    assert!(loaded.unwrap().layers.project.model.is_some());
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_write_or_that_is_not_there_is_refused_with_what_to_do() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let user = folder.path().join("mine.toml");
    let load = |named| {
        let found = ConfigFiles { user: Some(user.clone()), named, ..ConfigFiles::default() };
        ConfigLayers::load(&found, |_, _| Ok(()), |_| None)
    };
    assert!(load(ExplicitPath::No).is_ok());
    assert_eq!(load(ExplicitPath::Yes).unwrap_err().problem, ConfigProblem::Missing);
    fs::write(&user, "model = \"a/b\"\n").unwrap();
    fs::set_permissions(&user, fs::Permissions::from_mode(0o666)).unwrap();
    let error = load(ExplicitPath::No).unwrap_err();
    assert_eq!(error.problem, ConfigProblem::Exposed);
    assert_eq!(error.fix(), format!("chmod go-w {}", user.display()));
    fs::set_permissions(&user, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(load(ExplicitPath::Yes).unwrap().layers.user.model.is_some());
    fs::write(&user, b"model = \"a\"\n\xff\n").unwrap();
    let error = load(ExplicitPath::Yes).unwrap_err();
    assert_eq!((error.line, error.to_string().contains("UTF-8")), (Some(2), true), "{error}");
}

#[test]
fn a_projects_file_that_is_no_text_or_too_large_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.toml");
    let large = vec![b'#'; usize::try_from(crate::MOST_FILE_BYTES).unwrap() + 1];
    for bytes in [b"\xff\xfe".to_vec(), large] {
        fs::write(&path, bytes).unwrap();
        let found = ConfigFiles { project: Some(path.clone()), ..ConfigFiles::default() };
        let loaded =
            ConfigLayers::load(&found, |_, _| Err("you have not trusted it".into()), |_| None).unwrap();
        assert_eq!(loaded.layers, ConfigLayers::default());
        assert_eq!(loaded.inert.first().map(|(path, _)| path), Some(&path));
    }
}

#[test]
fn a_file_that_nobody_trusts_does_not_switch_off_the_trusted_one_above_it() {
    let folder = tempfile::tempdir().unwrap();
    let [near, middle, far] = ["near.toml", "middle.toml", "far.toml"].map(|name| folder.path().join(name));
    fs::write(&near, "").unwrap();
    fs::write(&middle, "model = \"a/middle\"\n").unwrap();
    fs::write(&far, "model = \"a/far\"\n").unwrap();
    let found = ConfigFiles {
        project: Some(near.clone()),
        above: vec![middle.clone(), far.clone()],
        ..ConfigFiles::default()
    };
    let load = |trusted: &[&PathBuf]| {
        let admits = |path: &Path, _: &[u8]| {
            if trusted.iter().any(|trusted_path| trusted_path.as_path() == path) {
                Ok(())
            } else {
                Err("nobody has".to_owned())
            }
        };
        let loaded = ConfigLayers::load(&found, admits, |_| None).unwrap();
        let inert: Vec<PathBuf> = loaded.inert.into_iter().map(|(path, _)| path).collect();
        (loaded.project, loaded.layers.project.model.map(|model| model.value), inert)
    };
    assert_eq!(load(&[&far]), (Some(far.clone()), Some("a/far".into()), vec![near.clone(), middle.clone()]));
    let both = load(&[&middle, &far]);
    assert_eq!(both, (Some(middle.clone()), Some("a/middle".into()), vec![near.clone()]));
    assert_eq!(load(&[&near, &far]), (Some(near.clone()), None, Vec::new()), "the nearest that is trusted");
    assert_eq!(load(&[]), (None, None, vec![near.clone(), middle.clone(), far.clone()]));
}
