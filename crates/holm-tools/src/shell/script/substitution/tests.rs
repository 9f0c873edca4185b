use super::{CommandSubstitutions, substitutions};

fn check(text: &str, expect: &[&str]) {
    let expect = CommandSubstitutions::Scripts(expect.iter().map(ToString::to_string).collect());
    assert_eq!(substitutions(text), expect, "{text:?}");
}

#[test]
fn every_substitution_is_found() {
    check("plain \\$(a) \\`b\\` $x ${x}", &[]);
    check(" $(a b) and `c d`", &["a b", "c d"]);
    check("`a \\`b\\``", &["a `b`"]);
    check("${x^^$(a)} 'in quotes $(b)'", &["a", "b"]);
    check("$(a \")\" ')' $(b) `)` # )\n c)", &["a \")\" ')' $(b) `)` # )\n c"]);
    check("$(a \"$(b \")\")\" c)", &["a \"$(b \")\")\" c"]);
    check("$((1 + 2)) $(((3)))", &[]);
    check("$((x[$(a)]))", &[": \"x[$(a)]\""]);
    check("$((a) )", &["(a) "]);
    check("$((a); (b))", &["(a); (b)"]);
    check("$(a $'\\'' )", &["a $'\\'' "]);
}

#[test]
fn what_has_no_clear_end_is_said_to_be_unclosed() {
    for text in ["$(a", "`a", "$(a 'b)", "$(a \"b)", "$(cat <<E\n)\nE\n)", "$(a # )"] {
        assert_eq!(substitutions(text), CommandSubstitutions::Unclosed, "{text:?}");
    }
}
