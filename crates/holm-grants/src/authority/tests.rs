use alloc::string::ToString;

use super::Authority;

fn authority(texts: &[&str]) -> Authority {
    Authority::parse(texts.iter().copied()).unwrap()
}

#[test]
fn one_list_holds_grants_and_allowances() {
    let both = authority(&["time:30s", "read:src/**", "fuel:1e9"]);
    let json = serde_json::to_string(&both).unwrap();
    assert_eq!(json, r#"["read:src/**","time:30s","fuel:1e9"]"#);
    assert_eq!(serde_json::from_str::<Authority>(&json).unwrap(), both);
}

#[test]
fn a_mistake_names_its_entry() {
    let error = Authority::parse(["read:a", "time:30"]).unwrap_err();
    assert_eq!(error.position, 2);
    assert_eq!(
        error.to_string(),
        "entry 2: amount is wrong; write a number with ms, s, m or h, for example 30s"
    );
    assert_eq!(
        Authority::parse(["calls:1", "read:a", "calls:1"]).unwrap_err().to_string(),
        "entry 3: calls is given twice"
    );
    assert!(Authority::parse(core::iter::repeat_n("read:a", 2000)).is_err());
}

#[test]
fn a_child_holds_no_more_of_either() {
    let parent = authority(&["read:src/", "calls:5"]);
    let child = parent.meet(&authority(&["read:**", "calls:9", "spend:1usd"]));
    assert_eq!(child, authority(&["read:src/", "calls:5"]));
    assert!(parent.contains(&child));
    assert!(!parent.contains(&authority(&["calls:6"])));
}
