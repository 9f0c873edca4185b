use super::*;

#[test]
fn a_desktop_is_there_where_it_has_an_address_and_a_program() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret-tool"), "").unwrap();
    let path = folder.path().display().to_string();
    let check = |bus: &str, path: &str, expect: bool| {
        let env = |name: &str| match name {
            "DBUS_SESSION_BUS_ADDRESS" => Some(bus.to_owned()),
            "PATH" => Some(path.to_owned()),
            _ => None,
        };
        assert_eq!(SystemKeyrings::of(folder.path(), env).desktop.is_some(), expect, "{bus} {path}");
    };
    check("unix:path=/x", &format!("/nowhere:{path}"), true);
    check("", &path, false);
    check("unix:path=/x", "/nowhere", false);
    check("unix:path=/x", ".", false);
}
