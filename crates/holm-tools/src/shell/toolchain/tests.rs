use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

/// A home with a toolchain, and a workspace in it.
fn home() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap().join("home");
    for name in [
        ".cargo/bin",
        ".cargo/registry",
        ".rustup/toolchains",
        ".local/bin",
        ".local/share/keyrings",
        "bin",
        "work/bin",
    ] {
        fs::create_dir_all(home.join(name)).unwrap();
    }
    fs::write(home.join(".cargo/credentials.toml"), "token").unwrap();
    let work = home.join("work");
    (folder, home, work)
}

fn found(home: &Path, work: &Path, names: &[&str]) -> UserToolchains {
    UserToolchains::find(names.iter().map(|name| home.join(name)), Some(home), work)
}

#[test]
fn the_path_is_the_users_and_ends_with_the_systems() {
    let (_folder, home, work) = home();
    let toolchains = found(&home, &work, &[".cargo/bin", "bin", ".cargo/bin", "nowhere"]);
    assert_eq!(toolchains.path()[..2], [home.join(".cargo/bin"), home.join("bin")]);
    assert!(toolchains.path().contains(&Path::new("/usr/bin").canonicalize().unwrap()));
}

#[test]
fn folders_of_the_workspace_and_those_that_hold_the_home_are_not_on_it() {
    let (_folder, home, work) = home();
    let toolchains = found(&home, &work, &["work/bin", ".", ".."]);
    assert!(!toolchains.path().iter().any(|folder| folder.starts_with(&work) || home.starts_with(folder)));
    let relative = UserToolchains::find([PathBuf::from("bin")], Some(&home), &work);
    assert!(relative.path().iter().all(|folder| folder.is_absolute()));
}

#[test]
fn of_a_toolchain_what_programs_need_is_opened_and_no_secret() {
    let (_folder, home, work) = home();
    let toolchains = found(&home, &work, &[".cargo/bin", ".local/bin"]);
    let opens = |name: &str| toolchains.roots.iter().any(|root| home.join(name).starts_with(root));
    for name in [".cargo/bin/cargo", ".cargo/registry/src", ".rustup/toolchains", ".local/bin/x"] {
        assert!(opens(name), "{name}: {:?}", toolchains.roots);
    }
    for name in
        [".cargo/credentials.toml", ".cargo/credentials", ".local/share/keyrings/x", "bin/x", ".ssh/id"]
    {
        assert!(!opens(name), "{name}: {:?}", toolchains.roots);
    }
    assert_eq!(toolchains.cargo(), Some(home.join(".cargo").as_path()));
    fs::write(home.join(".cargo/config.toml"), "[registry]\ntoken = \"x\"\n").unwrap();
    let opens = |name: &str| found(&home, &work, &[".cargo/bin"]).roots.contains(&home.join(name));
    assert!(!opens(".cargo/config.toml"));
    fs::write(home.join(".cargo/config.toml"), "[build]\njobs = 2\n").unwrap();
    assert!(opens(".cargo/config.toml"));
}

#[test]
fn links_in_a_folder_of_the_path_lead_to_their_program_and_its_environment() {
    let (_folder, home, work) = home();
    fs::create_dir_all(home.join("venvs/black/bin")).unwrap();
    fs::create_dir_all(home.join("src")).unwrap();
    for name in ["venvs/black/pyvenv.cfg", "venvs/black/bin/black", "src/tool", "src/other"] {
        fs::write(home.join(name), "").unwrap();
        fs::set_permissions(home.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(home.join("src/key"), "secret").unwrap();
    symlink(home.join("src/key"), home.join("bin/key")).unwrap();
    symlink(home.join("venvs/black/bin/black"), home.join("bin/black")).unwrap();
    symlink(home.join("src/tool"), home.join("bin/tool")).unwrap();
    let toolchains = found(&home, &work, &["bin"]);
    let has = |name: &str| toolchains.roots.contains(&home.join(name));
    assert!(
        has("venvs/black/bin") && has("src/tool") && !has("src/other") && !has("src") && !has("src/key"),
        "{:?}",
        toolchains.roots
    );
    assert_eq!(toolchains.program("tool"), Some(home.join("bin/tool")));
    assert_eq!(toolchains.program("../src/other"), None);
}

#[test]
fn settings_with_tokens_beside_programs_are_hidden() {
    let (_folder, home, work) = home();
    let files = [
        ".nvm/versions/node/v22/bin/node",
        ".nvm/versions/node/v22/etc/npmrc",
        ".pyenv/versions/3.12/pip.conf",
        ".pyenv/.env",
        ".sdkman/candidates/maven/3.9/conf/settings.xml",
        ".sdkman/candidates/java/21/conf/net.properties",
        ".local/share/uv/credentials/credentials.toml",
        "bin/.env",
        "bin/notes",
        "bin/tool",
    ];
    for name in files {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), "").unwrap();
    }
    fs::set_permissions(home.join("bin/tool"), fs::Permissions::from_mode(0o755)).unwrap();
    let path =
        [".nvm/versions/node/v22/bin", ".pyenv/bin", ".sdkman/candidates/java/21/bin", ".local/bin", "bin"];
    for name in path {
        fs::create_dir_all(home.join(name)).unwrap();
    }
    let toolchains = found(&home, &work, &path);
    let shows = |name: &str| {
        let place = home.join(name);
        toolchains.roots.iter().any(|root| place.starts_with(root))
            && !toolchains.hidden().iter().any(|hidden| place.starts_with(hidden))
    };
    let shown: Vec<&str> = files.into_iter().filter(|name| shows(name)).collect();
    assert_eq!(
        shown,
        [".nvm/versions/node/v22/bin/node", ".sdkman/candidates/java/21/conf/net.properties", "bin/tool"],
        "{toolchains:?}"
    );
}

#[test]
fn one_program_opens_its_own_toolchain_and_no_other() {
    let (_folder, home, work) = home();
    for name in [".nvm/versions/node/v22/bin/node", ".cargo/bin/cargo", "bin/tool"] {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), "").unwrap();
        fs::set_permissions(home.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let toolchains = found(&home, &work, &[".cargo/bin", ".nvm/versions/node/v22/bin", "bin"]);
    let opens = |program: &str, name: &str| {
        let program = home.join(program);
        let jail = format!("{:?}", toolchains.add_program(Jail::new(), &program, &program));
        jail.contains(&format!("{:?}", home.join(name)))
    };
    assert!(opens(".cargo/bin/cargo", ".cargo/bin") && opens(".cargo/bin/cargo", ".rustup/toolchains"));
    assert!(!opens(".cargo/bin/cargo", ".nvm/versions") && !opens(".cargo/bin/cargo", "bin/tool"));
    assert!(opens(".nvm/versions/node/v22/bin/node", ".nvm/versions"));
    assert!(!opens(".nvm/versions/node/v22/bin/node", ".cargo/registry"));
    assert!(!opens("bin/tool", ".cargo/bin") && !opens("bin/tool", ".nvm/versions"));
}

#[test]
fn the_sources_that_cargo_downloaded_are_shown_whole() {
    let (_folder, home, work) = home();
    for name in [".cargo/registry/src/index/crate-1/etc/data", ".cargo/registry/index/own/.git/config"] {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), "").unwrap();
    }
    let toolchains = found(&home, &work, &[".cargo/bin"]);
    assert_eq!(toolchains.hidden(), [home.join(".cargo/registry/index/own/.git")]);
}

#[test]
fn what_the_deny_list_names_beside_programs_is_hidden() {
    let (_folder, home, work) = home();
    for name in [".nvm/versions/x/.ssh/id", ".nvm/versions/x/id_ed25519", ".nvm/versions/x/id_rsa.pub"] {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), "").unwrap();
    }
    fs::create_dir_all(home.join(".nvm/versions/x/bin")).unwrap();
    let toolchains = found(&home, &work, &[".nvm/versions/x/bin"]);
    let hides = |name: &str| toolchains.hidden().contains(&home.join(name));
    assert!(hides(".nvm/versions/x/.ssh") && hides(".nvm/versions/x/id_ed25519"), "{toolchains:?}");
    assert!(!hides(".nvm/versions/x/id_rsa.pub"), "{toolchains:?}");
}
