use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::normal_form::normalise;
use super::{SourceText, ValueReading, is_date};
use crate::json::Json;

/// Whether each value occurs in the source as expected.
fn check(source: &str, reading: ValueReading, holds: &[&str], lacks: &[&str]) {
    let prepared = SourceText::new(source);
    for value in holds {
        assert!(prepared.holds(value, reading), "{value:?} stands in {source:?}");
    }
    for value in lacks {
        assert!(!prepared.holds(value, reading), "{value:?} does not stand in {source:?}");
    }
}

fn numbers(source: &str, holds: &[&str], lacks: &[&str]) {
    let prepared = SourceText::new(source);
    let holds_number = |text: &str| match Json::parse(text).unwrap() {
        Json::Number(number) => prepared.holds_number(&number),
        other => panic!("{other} is not a number"),
    };
    for value in holds {
        assert!(holds_number(value), "{value} stands in {source:?}");
    }
    for value in lacks {
        assert!(!holds_number(value), "{value} does not stand in {source:?}");
    }
}

#[test]
fn case_space_and_typography_are_folded() {
    let cases = [
        ("  Straße \n\t nach\u{a0}OSLO ", "straße nach oslo"),
        ("“It’s” – fine…", "\"it's\" - fine..."),
        ("zero\u{200b}width\u{ad}soft\u{feff}", "zerowidthsoft"),
        ("ＡＢＣ１２", "abc12"),
        ("e\u{301} É", "e\u{301} e\u{301}"),
        ("eﬃcient", "efficient"),
        ("ΟΔΟΣ οδος", "οδοσ οδοσ"),
        ("a\u{0}b", "a b"),
    ];
    for (text, expect) in cases {
        assert_eq!(normalise(text), expect);
    }
}

#[test]
fn names_stand_as_whole_words() {
    check(
        "Anna Johnson of Acme, Inc. met O'Neil-based José Muñoz\nin Berlin-Mitte; L’Oréal’s C_4.",
        ValueReading::Words,
        &[
            "Anna Johnson",
            "ANNA  johnson",
            "Acme, Inc.",
            "Acme",
            "José Muñoz",
            "Jose\u{301} Mun\u{303}oz",
            "Berlin",
            "L'Oréal",
            "Oréal",
            "Muñoz in Berlin",
        ],
        &[
            "John",
            "Anna John",
            "nna Johnson",
            "Anna Smith",
            "Acme Inc",
            "Jose",
            "Munoz",
            "Mitt",
            "4",
            "",
            "  ",
            "\u{200b}",
        ],
    );
}

#[test]
fn a_word_shared_with_the_text_is_not_enough() {
    check(
        "John Smith wrote it",
        ValueReading::Words,
        &["John Smith"],
        &["John Miller", "Jane Smith", "Smith John"],
    );
}

#[test]
fn scripts_without_spaces_have_no_word_boundaries() {
    check(
        "東京都に行った。在Google工作 서울에서",
        ValueReading::Words,
        &["東京", "Google", "서울"],
        &["京東", "Goog"],
    );
}

#[test]
fn a_piece_of_an_address_is_not_the_address() {
    check(
        "hello@x.com, a.b@x.co.uk; o'neil@y.org.<jo@z.de> mailto:me@w.io 'q@w.io' 联系k@w.io谢谢",
        ValueReading::Email,
        &[
            "hello@x.com",
            "HELLO@X.COM",
            "a.b@x.co.uk",
            "o'neil@y.org",
            "jo@z.de",
            "me@w.io",
            "q@w.io",
            "k@w.io",
        ],
        &[
            "ello@x.com",
            "hello@x.co",
            "b@x.co.uk",
            "a.b@x.co",
            "neil@y.org",
            "o@z.de",
            "x.com",
            "hello@x",
            "me@w",
        ],
    );
    check("a@x.com@y.com x--b@x.com", ValueReading::Email, &[], &["a@x.com", "x.com@y.com", "b@x.com"]);
}

#[test]
fn a_piece_of_a_url_is_not_the_url() {
    check(
        "See https://a.com/x?q=1, (http://b.org/y) <www.c.net>. 'http://d.io',next http://e.io,http://f.io git+ssh://g.io",
        ValueReading::Url,
        &[
            "https://a.com/x?q=1",
            "http://b.org/y",
            "www.c.net",
            "http://d.io",
            "http://e.io",
            "http://f.io",
            "git+ssh://g.io",
        ],
        &[
            "https://a.com",
            "https://a.com/x",
            "https://a.com/x?q",
            "ttps://a.com/x?q=1",
            "a.com/x?q=1",
            "http://b.org",
            "c.net",
            "ssh://g.io",
            "http://e.io,http://f.i",
        ],
    );
    check("http://x.com:8080/ and http://y.com/", ValueReading::Url, &["http://y.com"], &["http://x.com"]);
    check(
        "visit example.com or mail me@mail.org",
        ValueReading::Url,
        &["example.com"],
        &["mail.org", "ample.com"],
    );
}

#[test]
fn dates_stand_verbatim_or_by_their_iso_form() {
    check(
        "On January 15, 2024 at 3pm; 3rd of March 2023, 7-Dec-2021, 2020/2/9, 24.12.2019, 2018-05-06T10:00Z, 13/02/2017, Aug 2016",
        ValueReading::Date,
        &[
            "January 15, 2024",
            "2024-01-15",
            "2024-01",
            "2023-03-03",
            "2021-12-07",
            "7-Dec-2021",
            "2020-02-09",
            "2020/2/9",
            "2019-12-24",
            "24.12.2019",
            "2018-05-06",
            "2017-02-13",
            "13/02/2017",
            "2016-08",
        ],
        &[
            "2024-01-16",
            "2024-01-1",
            "24.12.",
            "2018-05-0",
            "5, 2024",
            "12.2019",
            "2020/2",
            "2017-13-02",
            "2016-08-01",
            "2015",
            "3/02/2017",
        ],
    );
}

#[test]
fn a_date_with_two_readings_is_answered_as_it_stands() {
    check(
        "due 03/04/2024, paid 05/05/2024, seen 1/2/24",
        ValueReading::Date,
        &["03/04/2024", "2024-05-05", "1/2/24"],
        &["2024-04-03", "2024-03-04", "2024-02-01", "2024-01-02"],
    );
}

#[test]
fn dates_that_do_not_exist_have_no_iso_form() {
    check(
        "2023-02-29 and 31 April 2024, 2024-02-30",
        ValueReading::Date,
        &["2023-02-29"],
        &["2024-04-31", "2024-05-01"],
    );
    assert!(SourceText::new("29 February 2024").holds("2024-02-29", ValueReading::Date));
}

#[test]
fn the_form_of_a_date_is_checked() {
    for date in [
        "2024-01-15",
        "January 15, 2024",
        "15.1.24",
        "3/4/2024",
        "March 2024",
        "2024",
        "next Monday",
        "tomorrow",
        "2024-01-15T10:00:00Z",
        "15th of May",
        "Q3 2024",
        "12/05",
        "1990s",
    ] {
        assert!(is_date(date), "{date}");
    }
    for text in
        ["", "hello", "2024-13-45", "2023-02-29", "7", "12345", "99/99/2024", "soon", "January 123456", "!!"]
    {
        assert!(!is_date(text), "{text}");
    }
}

#[test]
fn a_leap_day_is_a_date_in_leap_years_only() {
    // Two digits are a year of this century.
    for date in ["2024-02-29", "29/2/2000", "29.2.24", "29.2.00"] {
        assert!(is_date(date), "{date}");
    }
    for text in ["2023-02-29", "29/2/1900", "0000-02-28"] {
        assert!(!is_date(text), "{text}");
    }
}

#[test]
fn numbers_stand_by_value() {
    numbers(
        "It costs 1,234.50 EUR, 1.234.567,8 or 12'500; -5 degrees, 3-7 items, .25, 6e3, 10%, 5kg",
        &["1234.5", "1234.50", "12345e-1", "1234567.8", "12500", "-5", "3", "7", "0.25", "6000", "10", "5"],
        &["5000", "1234", "234", "1", "50", "-7", "25", "6", "0.1", "-3"],
    );
    numbers("1,234 and 1.500", &["1234", "1.234", "1500", "1.5"], &["1", "234", "5"]);
    numbers("rows 1,2,30 at 5'11", &["1", "2", "30", "5", "11"], &["1230", "511"]);
    numbers("B52, v1.2.3, 10.0.0.1 and x_9", &[], &["52", "1.2", "3", "10", "9", "1.23"]);
    numbers("-0 and 007", &["0", "0.0", "7"], &["70"]);
    numbers("第5章", &["5"], &[]);
}

#[test]
fn numbers_as_text_stand_by_value_too() {
    check("3-5 of 1,234 or -8", ValueReading::Words, &["1234", "1,234", "-8", "5"], &["-5", "8", "234"]);
}

#[test]
fn a_value_of_unknown_kind_is_read_by_its_looks() {
    for (value, expect) in [
        ("a@b.c", ValueReading::Email),
        ("https://a@b.c", ValueReading::Url),
        ("www.x.y", ValueReading::Url),
        ("Anna @ home", ValueReading::Words),
        ("Anna", ValueReading::Words),
    ] {
        assert_eq!(ValueReading::of(value), expect);
    }
}

#[test]
fn hostile_texts_cost_linear_time() {
    let dots = ".".repeat(200_000);
    let text = format!("{}{dots}", "a@x.com.".repeat(20_000));
    assert!(!SourceText::new(&text).holds("a@x.co", ValueReading::Email));
    let ones = "1,".repeat(100_000);
    assert!(SourceText::new(&format!("{ones}1e9999999999")).holds("1", ValueReading::Words));
    assert!(!SourceText::new(&"1-".repeat(100_000)).holds("2", ValueReading::Date));
    assert!(!SourceText::new(&"a ".repeat(100_000)).holds(&("a ".repeat(50_000) + "b"), ValueReading::Words));
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{1,3}", "[äéñ]{1,2}", "[A-C]{1,2}"]
}

fn text() -> impl Strategy<Value = Vec<(String, String)>> {
    proptest::collection::vec((word(), "( |, |-|\n|\\. | – |'|/)"), 1..12)
}

fn join(parts: &[(String, String)]) -> String {
    let mut text = String::new();
    for (at, (word, gap)) in parts.iter().enumerate() {
        text.push_str(word);
        if at + 1 < parts.len() {
            text.push_str(gap);
        }
    }
    text
}

/// The folded words of a text, by a splitter that shares nothing with the search.
fn words(text: &str) -> BTreeSet<String> {
    let folded = normalise(text);
    let mark = |c: char| ('\u{300}'..='\u{36f}').contains(&c);
    folded
        .split(|c: char| !c.is_alphanumeric() && !mark(c))
        .filter(|word| !word.is_empty())
        .map(String::from)
        .collect()
}

proptest! {
    #[test]
    fn every_token_aligned_substring_is_accepted(parts in text(), from in 0_usize..12, count in 1_usize..12) {
        let from = from % parts.len();
        let upto = (from + count).min(parts.len());
        let value = join(&parts[from..upto]);
        let source = join(&parts);
        prop_assert!(SourceText::new(&source).holds(&value, ValueReading::Words), "{:?} in {:?}", value, source);
    }

    #[test]
    fn a_value_with_a_token_that_the_source_lacks_is_never_accepted(parts in text(), value in text()) {
        let (source, value) = (join(&parts), join(&value));
        if SourceText::new(&source).holds(&value, ValueReading::Words) {
            prop_assert!(words(&value).is_subset(&words(&source)), "{:?} in {:?}", value, source);
        }
    }

    #[test]
    fn an_address_is_accepted_only_whole(
        local in "[a-c.]{0,3}[a-c]", host in "[a-c]{1,3}", top in "(co|com|co\\.uk)", cut in 1_usize..8,
        around in "( |, |<|\\(|\n)", after in "( |, |\\.|>|\\)|\n|\\. )",
    ) {
        let address = format!("{local}@{host}.{top}");
        let source = SourceText::new(&format!("x{around}{address}{after}"));
        prop_assert!(source.holds(&address, ValueReading::Email));
        let cut = cut.min(address.len() - 1);
        let trimmed = |text: &str| text.trim_matches('.') != address.trim_matches('.');
        if trimmed(&address[cut..]) && address[cut..].contains('@') {
            prop_assert!(!source.holds(&address[cut..], ValueReading::Email));
        }
        if trimmed(&address[..address.len() - cut]) {
            prop_assert!(!source.holds(&address[..address.len() - cut], ValueReading::Email));
        }
    }

    #[test]
    fn folding_twice_changes_nothing(text in any::<String>()) {
        let once = normalise(&text);
        prop_assert_eq!(normalise(&once), once);
    }

    #[test]
    fn no_text_makes_the_check_panic(text in any::<String>(), value in any::<String>()) {
        let source = SourceText::new(&text);
        for reading in [ValueReading::Words, ValueReading::Email, ValueReading::Url, ValueReading::Date] {
            let _ = source.holds(&value, reading);
        }
        let _ = is_date(&value);
    }

    #[test]
    fn digits_and_signs_never_panic(text in "[0-9.,'e+/: -]{0,40}", value in "[0-9.,'e+/: -]{0,10}") {
        let source = SourceText::new(&text);
        let _ = (source.holds(&value, ValueReading::Words), source.holds(&value, ValueReading::Date), is_date(&text));
    }

    #[test]
    fn every_number_written_plainly_is_found(number in any::<i64>(), fraction in 0_u32..1000) {
        let spelled = format!("about {number}.{fraction} of them");
        let source = SourceText::new(&spelled);
        let text = format!("{number}.{fraction}0");
        let Json::Number(number) = Json::parse(&text).unwrap() else { unreachable!() };
        prop_assert!(source.holds_number(&number));
    }

    #[test]
    fn every_day_is_found_in_every_spelling(year in 1000_u32..10_000, month in 1_usize..13, day in 1_u32..29) {
        let name = super::date::MONTHS[month - 1];
        let iso = format!("{year:04}-{month:02}-{day:02}");
        for text in [
            format!("on {day} {name} {year}."),
            format!("on {name} {day}, {year}"),
            format!("{}. {day:02} {year}", &name[..3]),
            format!("{day}.{month}.{year}"),
            format!("{year}/{month:02}/{day:02}"),
            format!("{iso}T00:00:00"),
        ] {
            prop_assert!(SourceText::new(&text).holds(&iso, ValueReading::Date), "{} in {}", iso, text);
        }
    }
}
