use holm_grants::escaped;

use super::*;
use crate::{
    ConfigLayer, SettingOrigin,
    agents_exe::UnsupportedFeature,
    import,
    skills::{SkillFileError, SkillProblem},
};

/// A name that ends the line, clears the screen, turns the text round and hides a letter.
const HOSTILE: &str = "a\n\u{1b}[2J\u{202e}\u{200b}\tb";

fn check(shown: &str) {
    assert_eq!(shown, escaped(shown), "{shown:?}");
}

#[test]
fn no_error_prints_a_raw_control_character_of_a_name() {
    let text = || HOSTILE.to_owned();
    let problems = [
        ConfigProblem::Syntax(text()),
        ConfigProblem::UnknownKey { key: text(), near: Some(text()), known: vec![text()] },
        ConfigProblem::UnknownKey { key: text(), near: None, known: vec![text()] },
        ConfigProblem::WrongValue(text()),
        ConfigProblem::NotForProjects { key: text() },
        ConfigProblem::Missing,
        ConfigProblem::Unreadable(text()),
        ConfigProblem::TooLarge { most: 1 },
        ConfigProblem::Exposed,
        ConfigProblem::Foreign,
        ConfigProblem::Shared,
        ConfigProblem::Unwritable(text()),
        ConfigProblem::Untrusted(text()),
    ];
    for problem in problems {
        // A new variant belongs into the list above.
        match &problem {
            ConfigProblem::Syntax(_)
            | ConfigProblem::UnknownKey { .. }
            | ConfigProblem::WrongValue(_)
            | ConfigProblem::NotForProjects { .. }
            | ConfigProblem::Missing
            | ConfigProblem::Unreadable(_)
            | ConfigProblem::TooLarge { .. }
            | ConfigProblem::Exposed
            | ConfigProblem::Foreign
            | ConfigProblem::Shared
            | ConfigProblem::Unwritable(_)
            | ConfigProblem::Untrusted(_) => {}
        }
        let error = ConfigError::at(Path::new(HOSTILE), 1, problem);
        check(&error.to_string());
        check(&error.problem.to_string());
        check(&error.fix());
    }
}

#[test]
fn places_and_notes_print_names_on_one_line() {
    let path = PathBuf::from(HOSTILE);
    check(&SettingOrigin::File { layer: ConfigLayer::User, path: path.clone(), line: 1 }.to_string());
    check(&SettingOrigin::Variable(HOSTILE.into()).to_string());
    check(&UnsupportedFeature { path: path.clone(), what: HOSTILE.into(), line: 1 }.to_string());
    let key = SkillProblem::BadValue { key: HOSTILE.into(), expected: "a text" };
    for problem in [SkillProblem::Head(HOSTILE.into()), key, SkillProblem::Missing("name")] {
        check(&SkillFileError { line: 1, problem }.to_string());
    }
    let key = serde_json::Value::from(HOSTILE).to_string();
    let servers = import::codex_servers(&format!("{key} = 1"), &path).unwrap();
    assert!(!servers.notes.is_empty());
    servers.notes.iter().for_each(|note| check(note));
    let (_, notes) = import::hooks(&format!("{{\"hooks\": {{{key}: []}}}}"), &path).unwrap();
    assert!(notes.iter().any(|note| note.contains("\\u{1b}")), "{notes:?}");
    notes.iter().for_each(|note| check(note));
}
