use http::HeaderMap;
use http::header::CONTENT_TYPE;

use super::MimeFilter;

fn check(wanted: &[&str], types: &[&str], fits: bool) {
    let mut headers = HeaderMap::new();
    for content_type in types {
        headers.append(CONTENT_TYPE, content_type.parse().unwrap());
    }
    let mimes = MimeFilter::Only(wanted.iter().map(ToString::to_string).collect());
    assert_eq!(mimes.check(&headers).is_ok(), fits, "{wanted:?} and {types:?}");
}

#[test]
fn a_media_type_is_compared_without_its_parameters_and_case() {
    check(&["text/html"], &["text/html"], true);
    check(&["text/html"], &["Text/HTML; charset=utf-8"], true);
    check(&["text/*"], &["text/plain"], true);
    check(&["text/*", "application/json"], &["application/json"], true);
    check(&["text/html"], &["text/html2"], false);
    check(&["text/*"], &["texts/plain"], false);
    check(&["text/*"], &["application/octet-stream; text/html"], false);
}

#[test]
fn an_answer_of_no_type_or_of_two_types_is_not_wanted() {
    check(&["text/*"], &[], false);
    check(&["text/*"], &["text/html", "text/plain"], false);
    assert_eq!(MimeFilter::Any.check(&HeaderMap::new()), Ok(()));
}
