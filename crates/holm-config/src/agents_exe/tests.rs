use std::{fs, path::Path};

use super::*;
use crate::{ConfigError, ConfigProblem};

/// An agent with these members in addition to the required ones, each on a line of its own from
/// line 10 on.
fn agent(slug: &str, members: &[&str]) -> String {
    let mut lines = vec![
        "{\"tag\": \"OpenAIAgentDescription\",".to_owned(),
        "\"contents\": {".to_owned(),
        format!("\"slug\": \"{slug}\","),
        "\"apiKeyId\": \"main-key\",".to_owned(),
        "\"flavor\": \"OpenAIv1\",".to_owned(),
        "\"modelUrl\": \"https://api.example.com/v1\",".to_owned(),
        "\"modelName\": \"small\",".to_owned(),
        "\"announce\": \"Helps with \\\"everything\\\".\",".to_owned(),
        "\"systemPrompt\": [\"Line one.\", \"Line two.\"]".to_owned(),
    ];
    lines.extend(members.iter().map(|member| format!(", {member}")));
    lines.push("}}".to_owned());
    lines.join("\n")
}

fn read(members: &[&str]) -> Result<ExeAgent, ConfigError> {
    ExeAgent::parse(&agent("main", members), Path::new("/p/agent.json"))
}

/// Everybody has looked at everything.
fn admits(_: &Path, _: &[u8]) -> Result<(), String> {
    Ok(())
}

#[test]
fn an_agent_is_read_in_both_spellings() {
    let members = [
        r#""toolDirectory": "tools""#,
        r#""bashToolboxes": [{"tag": "FileSystemDirectory", "contents": {"Path": "more", "BasenameFilter": "x"}}]"#,
        r#""mcpServers": [{"tag": "McpSimpleBinary", "contents": {"name": "m", "executable": "/bin/m", "args": ["a"]}}]"#,
        r#""extraAgents": [{"slug": "other", "path": "other.json"}]"#,
        r#""skillSources": [{"tag": "SkillDirectory", "contents": "skills"}]"#,
    ];
    let read_one = read(&members).unwrap();
    let lower: Vec<String> =
        members.iter().map(|member| member.replace("Path\"", "path\"").replace("Base", "base")).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    assert_eq!(read_one, read(&lower).unwrap());
    assert_eq!((read_one.slug.as_str(), read_one.announce.as_str()), ("main", "Helps with \"everything\"."));
    assert_eq!(read_one.system, "Line one.\nLine two.");
    let tools: Vec<(&Path, Option<&str>)> =
        read_one.tools.iter().map(|tools| (tools.path.as_path(), tools.filter.as_deref())).collect();
    assert_eq!(tools, [(Path::new("/p/tools"), None), (Path::new("/p/more"), Some("x"))]);
    assert_eq!(read_one.servers[0].args, ["a"]);
    assert_eq!((read_one.extra[0].path.as_path(), read_one.extra[0].line), (Path::new("/p/other.json"), 13));
    assert_eq!(read_one.skills, [Path::new("/p/skills")]);
    assert!(read_one.unsupported.is_empty(), "{:?}", read_one.unsupported);
}

#[test]
fn what_is_not_supported_is_named_with_its_line() {
    let members = [
        r#""openApiToolboxes": [{"tag": "OpenAPIOther", "contents": {"SpecUrl": "x"}}]"#,
        r#""postgrestToolboxes": [{"tag": "PostgRESTServer", "contents": {}}]"#,
        r#""builtinToolboxes": [{"tag": "SqliteToolbox", "contents": {}}, {"tag": "LuaToolbox", "contents": {}}]"#,
        r#""bashToolboxes": [{"tag": "FrobToolbox"}, {"tag": "FileSystemDirectory", "contents": {"path": "x", "activation": {"tag": "on-demand"}}}]"#,
        r#""skillSources": [{"tag": "SkillGitRepo", "contents": {"url": "x"}}]"#,
        r#""frobnicate": true"#,
        r#""autoEnableSkills": null, "toolDirectory": null"#,
    ];
    let messages: Vec<String> = read(&members).unwrap().unsupported.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "/p/agent.json: not supported: the toolbox OpenAPIOther at line 10",
            "/p/agent.json: not supported: PostgREST toolboxes at line 11",
            "/p/agent.json: not supported: the toolbox SqliteToolbox at line 12",
            "/p/agent.json: not supported: the toolbox LuaToolbox at line 12",
            "/p/agent.json: not supported: the toolbox FrobToolbox at line 13",
            "/p/agent.json: not supported: an activation group at line 13",
            "/p/agent.json: not supported: the skill source SkillGitRepo at line 14",
            "/p/agent.json: not supported: the key `frobnicate` at line 15",
        ]
    );
}

#[test]
fn each_mistake_has_its_line() {
    let check = |text: &str, expect: &str| {
        let error = ExeAgent::parse(text, Path::new("a.json")).unwrap_err();
        assert!(error.to_string().starts_with(expect), "{error}");
        assert!(!error.fix().is_empty());
    };
    check("{\n\"tag\": ", "a.json:2: ");
    check("[]", "a.json:1: an object tagged OpenAIAgentDescription is expected here");
    check(&agent("x", &["\"mcpServers\": 3"]), "a.json:10: a list is expected here");
    check(&agent("x", &["\"toolDirectory\": []"]), "a.json:10: the path of a folder is expected here");
    check(&agent("x", &["\"extraAgents\": [\n{\"slug\": \"a\"}]"]), "a.json:11: `path` is missing");
    check(&agent("x", &[]).replace("\"small\"", "7"), "a.json:7: a text is expected here");
    check(&agent("x", &[]).replace("\"slug\": \"x\",", ""), "a.json:2: `slug` is missing");
}

#[test]
fn a_tree_is_read_as_it_lies_and_agents_may_call_themselves_and_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let tools = folder.path().join("tools");
    fs::create_dir_all(tools.join("expert-1-tools")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let extra = r#""extraAgents": [{"slug": "far", "path": "far.json"}]"#;
    write("agent.json", &agent("main", &[r#""toolDirectory": "tools""#, extra]));
    write("tools/expert-1.json", &agent("expert-1", &[r#""toolDirectory": "expert-1-tools""#]));
    write("tools/notes.json", "{\"no\": \"agent\"}");
    write("far.json", &agent("far", &[r#""frobnicate": 1"#]));
    let main = folder.path().join("agent.json");
    let load = || ExeTree::load(&main, Path::new("/nowhere"), &admits);
    let tree = load().unwrap();
    let slugs: Vec<&str> = tree.agents().iter().map(|agent| agent.slug.as_str()).collect();
    assert_eq!(slugs, ["main", "far", "expert-1"]);
    assert_eq!(tree.below[1].agent.tools[0].path, tools.join("expert-1-tools"));
    assert_eq!((tree.unsupported().len(), tree.missing().len(), tree.is_called_below()), (1, 0, false));

    let both =
        r#""extraAgents": [{"slug": "main", "path": "agent.json"}, {"slug": "far", "path": "./far.json"}]"#;
    write("far.json", &agent("far", &[both]));
    let tree = load().unwrap();
    assert_eq!(tree.helpers().collect::<Vec<_>>(), ["far", "expert-1"]);
    assert_eq!(tree.below[0].helpers().collect::<Vec<_>>(), ["main", "far"]);
    assert!(tree.is_called_below() && tree.agents().len() == 3);
    assert_eq!(["main", "far", "expert-1"].map(|slug| tree.recurses(slug)), [true, true, false]);
    write("far.json", &agent("far", &[r#""extraAgents": [{"slug": "mine", "path": "agent.json"}]"#]));
    let error = load().unwrap_err();
    assert!(error.to_string().contains("far.json:10: the agent is called `mine` here and `main`"), "{error}");
    write("far.json", &agent("near", &[]));
    let error = load().unwrap_err();
    assert!(
        error.to_string().contains("agent.json:11: the agent is called `far` here and `near`"),
        "{error}"
    );
    fs::remove_file(folder.path().join("far.json")).unwrap();
    let error = load().unwrap_err();
    assert!(error.to_string().contains("agent.json:11: there is no file "), "{error}");
    let untrusted = |_: &Path, _: &[u8]| Err("you have not trusted it".into());
    let error = ExeTree::load(&main, Path::new("/nowhere"), &untrusted).unwrap_err();
    assert_eq!(error.problem, ConfigProblem::Untrusted("you have not trusted it".into()));
    assert!(error.fix().contains("holm tool trust "), "{}", error.fix());
}

#[test]
fn tools_are_found_from_the_working_folder_and_beside_the_file_and_missing_ones_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (work, agents) = (folder.path(), folder.path().join("agents"));
    for path in ["tools/dev", "agents/own", "tools/own", "agents/near", "box"] {
        fs::create_dir_all(work.join(path)).unwrap();
    }
    fs::write(work.join("box/one.sh"), "").unwrap();
    let members = [
        r#""toolDirectory": "own""#,
        r#""bashToolboxes": [{"tag": "FileSystemDirectory", "contents": {"Path": "tools/dev", "BasenameFilter": ".sh"}},"#,
        r#"{"tag": "FileSystemDirectory", "contents": {"Path": "near"}},"#,
        r#"{"tag": "SingleTool", "contents": {"Path": "box/one.sh"}},"#,
        r#"{"tag": "FileSystemDirectory", "contents": {"Path": "gone"}}]"#,
    ];
    // The members are one list, a line each.
    let text = agent("main", &[&members.join("\n")]).replace("\n\"bash", "\n, \"bash");
    fs::write(agents.join("a.json"), text).unwrap();
    let tree = ExeTree::load(&agents.join("a.json"), work, &admits).unwrap();
    let found: Vec<&Path> = tree.agent.tools.iter().map(ExeTools::folder).collect();
    let expect = [agents.join("own"), work.join("tools/dev"), agents.join("near"), work.join("box")];
    assert_eq!(found[..4], expect.iter().map(std::path::PathBuf::as_path).collect::<Vec<_>>());
    let single = &tree.agent.tools[3];
    assert!(single.has(&work.join("box/one.sh")) && !single.has(&work.join("box/other-one.sh")));
    let filtered = &tree.agent.tools[1];
    assert!(filtered.has(&work.join("tools/dev/x.sh")) && !filtered.has(&work.join("tools/dev/x.py")));
    let [missing] = tree.missing()[..] else { panic!("{:?}", tree.missing()) };
    assert!(missing.to_string().contains("a.json:14: there are no tools at gone, "), "{missing}");
}

#[test]
fn a_project_is_found_upward_and_its_paths_are_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b");
    fs::create_dir_all(&deep).unwrap();
    fs::create_dir(folder.path().join("agents")).unwrap();
    for name in ["agents/two.json", "agents/one.json", "agents/readme.md", "three.json"] {
        fs::write(folder.path().join(name), "{}").unwrap();
    }
    let cfg = r#"{"agentsConfigDir": "conf", "agentsDirectories": ["./agents"], "agentsFiles": ["three.json"], "x": 1}"#;
    fs::write(folder.path().join(CFG_FILE), cfg).unwrap();
    let found = ExeProject::find(&deep, |_| None).unwrap();
    let names: Vec<&str> =
        found.agents.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["three.json", "one.json", "two.json"]);
    assert_eq!(found.keys.last().unwrap(), &folder.path().join("conf/secret-keys"));

    fs::write(folder.path().join(CFG_FILE), "{\n\"agentsFiles\": 1}").unwrap();
    let error = ExeProject::find(&deep, |_| None).unwrap_err();
    assert_eq!(error.line, Some(2));
    // Without such a file, the agents of the user's folder.
    fs::remove_file(folder.path().join(CFG_FILE)).unwrap();
    let usual = folder.path().join(".config/agents-exe/default");
    fs::create_dir_all(&usual).unwrap();
    fs::write(usual.join("mine.json"), "{}").unwrap();
    let home = folder.path().to_str().unwrap().to_owned();
    let found = ExeProject::find(&deep, |name| (name == "HOME").then(|| home.clone())).unwrap();
    assert_eq!((found.cfg, found.agents), (None, vec![usual.join("mine.json")]));
}

#[cfg(unix)]
#[test]
fn keys_are_read_and_never_shown() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret-keys");
    assert_eq!(ExeKeys::load(&path).unwrap(), ExeKeys::default());
    fs::write(&path, r#"{"keys": [{"id": "main-key", "value": "canary-5521"}]}"#).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let keys = ExeKeys::load(&path).unwrap();
    assert_eq!((keys.get("main-key"), keys.get("other")), (Some("canary-5521"), None));
    assert_eq!(format!("{keys:?}"), "{\"main-key\"}");
    for broken in [
        r#"{"keys": [{"id": "main-key", "value": "canary-5521"}]"#,
        r#"{"keys": [{"id": "canary-5521"}]}"#,
        r#"{"keys": "canary-5521"}"#,
    ] {
        fs::write(&path, broken).unwrap();
        let error = ExeKeys::load(&path).unwrap_err();
        assert!(error.line.is_some() && !format!("{error}{error:?}").contains("canary"), "{error}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o622)).unwrap();
    assert_eq!(ExeKeys::load(&path).unwrap_err().problem, ConfigProblem::Exposed);
}

#[test]
fn a_projects_prompts_are_read_and_what_else_it_says_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(CFG_FILE);
    let find = |text: &str| {
        fs::write(&path, text).unwrap();
        ExeProject::find(folder.path(), |_| None)
    };
    let found = find(
        "{\n\"promptAliases\": {\"sum\": {\"description\": \"Sums up.\", \"template\": \"Sum: {{content}}\",\n\
         \"inputMode\": \"stdin\", \"colour\": 1}},\n\"keymap\": \"k.json\",\n\"sessions\": {\"writeLocation\": \"s\"},\n\
         \"agentsLogs\": {},\n\"selfDescribeSlug\": null,\n\"frobnicate\": false\n}",
    )
    .unwrap();
    assert_eq!((found.aliases.len(), found.aliases["sum"].template.as_str()), (1, "Sum: {{content}}"));
    assert_eq!(found.aliases["sum"].description, "Sums up.");
    let features: Vec<(&str, usize)> =
        found.unsupported.iter().map(|feature| (feature.what.as_str(), feature.line)).collect();
    assert_eq!(
        features,
        [
            ("the key `colour` of the prompt `sum`", 3),
            ("a map of keys", 4),
            ("places of sessions (they lie in Holm's data folder)", 5),
            ("the key `frobnicate`", 8),
        ]
    );
    assert!(
        found.unsupported[1]
            .to_string()
            .ends_with("agents-exe.cfg.json: not supported: a map of keys at line 4")
    );
    let check = |text: &str, line: usize, expect: &str| {
        let error = find(text).unwrap_err();
        assert!(error.line == Some(line) && error.to_string().contains(expect), "{error}");
    };
    check("{\n\"promptAliases\": []}", 2, "an object with a prompt for each name");
    check("{\"promptAliases\": {\n\"a\": {}}}", 2, "an object with a text `template`");
    check("{\"promptAliases\": {\n\"a\": {\"template\":\n 3}}}", 3, "an object with a text `template`");
}

#[test]
fn openapi_toolboxes_have_a_filter_and_secrets_that_are_never_shown() {
    let inline = r#"{"tag": "OpenAPIServer", "contents": {"SpecUrl": "http://localhost:8765/openapi.json",
      "BaseUrl": "http://localhost:8765", "Headers": {"X-A": "canary-1"}, "Token": "canary-2",
      "Filter": {"tag": "And", "contents": [{"tag": "PathPrefix", "contents": "/items"},
        {"tag": "Not", "contents": {"tag": "MethodEquals", "contents": "delete"}}]},
      "Secrets": [
        {"source": {"tag": "Given", "contents": "canary-3"}, "decoder": {"tag": "Clear", "contents": true},
         "serializer": {"tag": "Header", "contents": ["Authorization", "Bearer {{secret}}"]}},
        {"source": {"tag": "EnvVar", "contents": "SHOP"}, "decoder": {"tag": "Base64"},
         "serializer": {"tag": "QueryString", "contents": "key"}}]}}"#;
    let disk = r#"{"tag": "OpenAPIServerOnDisk", "contents": "boxes/shop.json"}"#;
    let agent = read(&[&format!("\"openApiToolboxes\": [{inline}, {disk}]")]).unwrap();
    assert!(agent.unsupported.is_empty() && !format!("{agent:?}").contains("canary"), "{agent:?}");
    let [ExeApiEntry::Inline(api), ExeApiEntry::OnDisk { path }] = agent.apis.as_slice() else {
        panic!("{:?}", agent.apis)
    };
    assert_eq!(path, Path::new("/p/boxes/shop.json"));
    assert_eq!((api.headers[0].1.expose(), api.token.as_ref().unwrap().expose()), ("canary-1", "canary-2"));
    let template = Some("Bearer {{secret}}".to_owned());
    assert_eq!(api.secrets[0].place, ExeSecretPlace::Header { name: "Authorization".into(), template });
    assert_eq!(api.secrets[1].source, ExeSecretSource::Elsewhere("the variable SHOP".into()));
    let filter = api.filter.as_ref().unwrap();
    let check = |method: &str, path: &str, expect| {
        assert_eq!(filter.admits("", method, path), expect, "{method} {path}");
    };
    check("GET", "/items", true);
    check("POST", "/items/{id}", true);
    check("DELETE", "/items/{id}", false);
    check("GET", "/itemsets", false);
    let odd = r#""openApiToolboxes": [{"tag": "OpenAPIServer", "contents": {"SpecUrl": "x", "BaseUrl": "y", "Filter": {"tag": "Odd"}}}]"#;
    let error = read(&[odd]).unwrap_err();
    assert!(
        error.to_string().contains("agent.json:10: a filter such as PathPrefix is expected here"),
        "{error}"
    );
}
