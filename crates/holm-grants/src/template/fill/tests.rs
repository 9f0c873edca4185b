use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::{AccessRequest, CallNeed, fill, part_by_part, plain};
use crate::kind::GrantKind;
use crate::template::slot::pieces;

fn request(template: &str, values: &[&str]) -> Option<AccessRequest> {
    plain(GrantKind::Read, &pieces(template).unwrap(), values)
}

#[test]
fn ordinary_paths_take_the_short_way() {
    let check = |template: &str, values: &[&str], expect: &str| {
        assert_eq!(request(template, values), Some(expect.parse().unwrap()), "{template}");
    };
    check("inbox/{a}", &["message 17"], "read:inbox/message 17");
    check("inbox/{a}", &["2024/may.txt"], "read:inbox/2024/may.txt");
    check("/srv/{a}/{b}.md", &["x", "y"], "read:/srv/x/y.md");
    check("{a}/{b}", &["x/y", "z"], "read:x/y/z");
}

#[test]
fn what_is_not_plain_is_looked_at_part_by_part() {
    for value in ["", ".", "..", "../x", "a/../b", "a//b", "a/", "/etc", "~", "*", "a\\b", "a\nb", "ä"] {
        assert_eq!(request("inbox/{a}", &[value]), None, "{value:?}");
    }
    assert_eq!(request("inbox/x-{a}", &["b/c"]), None, "it would leave its place");
    assert_eq!(request("inbox/{a}/**", &["b"]), None, "a pattern");
    assert_eq!(request("inbox/{a}/", &["b"]), None, "a folder with all that is in it");
    assert_eq!(request("inbox/{a}", &["b".repeat(256).as_str()]), None, "too long for a name");
}

proptest! {
    /// The short way may only ever give what the long way gives.
    #[test]
    fn the_short_way_agrees_with_the_long_way(
        template in "/?[a.~/]{0,3}\\{v\\}[a./]{0,3}(\\{w\\})?[/a*]{0,2}",
        values in prop::collection::vec("[aA./~* ]{0,5}|/proc/self|1|\u{e4}", 2),
    ) {
        let Ok(pieces) = pieces(&template) else { return Ok(()) };
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        for kind in [GrantKind::Read, GrantKind::Write] {
            let long = part_by_part(kind, &pieces, &values);
            if let Some(request) = plain(kind, &pieces, &values) {
                prop_assert_eq!(&long, &Ok(CallNeed::Request(request)));
            }
            if pieces.len() > 1 {
                prop_assert_eq!(fill(kind, &pieces, &values), long);
            }
        }
    }
}
