use super::*;

#[test]
fn a_text_cannot_break_out_of_its_fence() {
    let check = |text: &str, expect: &str| {
        let mut out = String::new();
        fence(&mut out, text);
        assert_eq!(out, expect, "{text:?}");
    };
    check("plain", "```\nplain\n```\n");
    check("```\nx\n```", "````\n```\nx\n```\n````\n");
    check("a ````` b\n", "``````\na ````` b\n``````\n");
}

#[test]
fn a_text_cannot_break_out_of_its_quote() {
    let mut out = String::new();
    quote(&mut out, "# heading\n\n<script>");
    assert_eq!(out, "> # heading\n> \n> <script>\n");
}
