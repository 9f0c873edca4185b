use super::*;

fn press(text: &str) -> KeyEvent {
    let (code, modifiers) = parse(text).unwrap();
    KeyEvent::new(code, modifiers)
}

#[test]
fn every_default_key_can_be_read_and_does_one_thing() {
    for (action, name, keys, _) in ACTIONS {
        for key in keys {
            assert_eq!(KeyBindings::default().action(press(key)), Some(action), "{name}: {key}");
            assert_eq!(shown(parse(key).unwrap()), *key);
        }
    }
}

#[test]
fn a_file_gives_other_keys_and_a_theme() {
    let wishes =
        ChatPreferences::read("theme = \"light\"\n[keys]\nqueue = [\"ctrl-k\", \"f5\"]\nsend = \"ctrl-s\"\n");
    assert_eq!(wishes.notes, Vec::<String>::new());
    assert_eq!(wishes.shade, Some(ThemeKind::Light));
    let action = |key: &str| wishes.keys.action(press(key));
    assert_eq!(action("ctrl-k"), Some(KeyAction::Queue));
    assert_eq!(action("f5"), Some(KeyAction::Queue));
    assert_eq!(action("ctrl-s"), Some(KeyAction::Send));
    assert_eq!(action("enter"), None, "an action has the keys that were named, and no others");
}

#[test]
fn what_is_not_understood_is_told_and_changes_nothing() {
    let check = |text: &str, expect: &str| {
        let wishes = ChatPreferences::read(text);
        assert!(wishes.notes.iter().any(|note| note.contains(expect)), "{text}: {:?}", wishes.notes);
        assert_eq!(wishes.keys, KeyBindings::default());
    };
    check("theme = \"pink\"", "unknown theme `pink`");
    check("[keys]\nfly = \"ctrl-k\"", "no action is called `fly`");
    check("[keys]\nsend = \"hyper-k\"", "`hyper-k` is not a key");
    check("colour = 1", "unknown setting `colour`");
    check("theme = ", "chat.toml is not used");
}
