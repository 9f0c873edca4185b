//! HTML into Markdown: what a reader sees, and nothing else.

use crate::fetch::body::{is_html, text};
use crate::fetch::{MAX_MARKDOWN, to_markdown};

fn check(html: &str, expect: &str) {
    assert_eq!(to_markdown(html, "https://example.com/a/b").trim_end(), expect, "{html}");
}

#[test]
fn what_a_reader_sees_becomes_markdown() {
    check("<h1>One</h1><h3>Three</h3>text", "# One\n\n### Three\n\ntext");
    check("<title>T</title><body><p>a</p><p>b", "# T\n\na\n\nb");
    check("a  \n b<br>c", "a b\nc");
    check("<p>a <b>bold</b> and <i>it</i> and <code>c d</code>.", "a **bold** and *it* and `c d`.");
    check(
        "<a href='c'>x</a> <a href=\"/d?e=1\">y</a>",
        "[x](https://example.com/a/c) [y](https://example.com/d?e=1)",
    );
    check("<ul><li>a<li>b<ul><li>c</ul></ul>d", "- a\n- b\n  - c\n\nd");
    check("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b");
    check("<blockquote>a<p>b</blockquote>c", "> a\n>\n> b\n\nc");
    check("<pre>a\n  b\n</pre>c", "```\na\n  b\n```\n\nc");
    check("a<hr>b", "a\n\n---\n\nb");
    check(
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td>3</td></tr></table>",
        "| a | b |\n|---|---|\n| 1\\|2 | 3 |",
    );
    check("&lt;b&gt; &amp; &eacute; &#x41;", "<b> & é A");
    check("<img src=x alt='a cat'><img src=y>", "[image: a cat]");
}

#[test]
fn what_no_reader_sees_is_left_out() {
    check("a<script>b</script>c<style>d</style>e", "ace");
    check("a<script>'</p>'</script>b", "ab");
    check("a<!-- b -->c<template>d</template>e<noscript>f</noscript>g", "aceg");
    check("a<div hidden>b<div>c</div>d</div>e", "ae");
    check("a<span style='display: none'>b</span>c<span style='visibility:hidden'>d</span>e", "ace");
    check("a<span style=\"font-size:0\">b</span><span style='opacity:0'>c</span>d", "ad");
    check("a<div aria-hidden=true>b</div>c", "a\n\nc".replace("\n\n", "").as_str());
    check("a<svg><text>b</text></svg>c<iframe>d</iframe>e", "ace");
    check("<p hidden>a<p>b", "a\n\nb");
}

#[test]
fn links_that_are_no_places_are_only_their_text() {
    for href in [
        "javascript:alert(1)",
        "data:text/html,x",
        "#top",
        "file:///etc/passwd",
        "mailto:a@b",
        "http://",
        "ftp://a/b",
    ] {
        check(&format!("<a href='{href}'>x</a>"), "x");
    }
    check(&format!("<a href='/{}'>x</a>", "y".repeat(4000)), "x");
    check("<a href='/a(b) c'>x</a>", "[x](https://example.com/a%28b%29%20c)");
    check("<a href='/a'> </a>b", "b");
    check("<a href='/a'>b<a href='/c'>d", "[b](https://example.com/a)[d](https://example.com/c)");
}

#[test]
fn no_page_fills_the_stack_or_the_memory() {
    for (name, html) in [
        ("deep elements", "<div>".repeat(200_000)),
        ("deep lists", "<ul><li>".repeat(100_000)),
        ("deep quotes", "<blockquote>a".repeat(50_000)),
        ("deep hiding", "<div hidden>".repeat(100_000)),
        ("ends without starts", "</ul></pre></a></tr></b>".repeat(50_000)),
        ("attributes", format!("<a {}>x</a>", "a=b ".repeat(200_000))),
        ("an open tag", format!("<a href='{}", "x".repeat(1_000_000))),
        ("open marks", "<b><i><pre><tr><td>".repeat(50_000)),
        ("entities", "&amp;".repeat(200_000)),
    ] {
        let markdown = to_markdown(&html, "https://example.com/");
        assert!(markdown.len() <= MAX_MARKDOWN + 100, "{name}: {}", markdown.len());
    }
    let long = to_markdown(&"word ".repeat(1_000_000), "");
    assert!(long.len() <= MAX_MARKDOWN + 100 && long.contains("the rest is not shown"));
}

#[test]
fn bytes_are_read_by_their_character_set() {
    let check = |bytes: &[u8], kind: &str, expect: &str| assert_eq!(text(bytes, kind), expect, "{kind}");
    check("é".as_bytes(), "text/html", "é");
    check(b"\xe9\x80", "text/html; charset=ISO-8859-1", "é€");
    check(b"\xe9", "text/plain; charset=\"windows-1252\"", "é");
    check(b"\xff\xfea\0", "text/plain", "a");
    check(b"\xfe\xff\0a", "text/plain", "a");
    check(b"\xef\xbb\xbfa", "text/plain; charset=latin1", "a");
    check(b"\xffa", "text/plain", "\u{fffd}a");
    check(b"a", "text/plain; charset=unheard-of", "a");
    assert!(is_html("Text/HTML; charset=x") && !is_html("text/plain; a=text/html"));
}
