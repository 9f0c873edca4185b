use super::*;

fn shown(text: &str) -> String {
    SecretRedactor::new().nameless().text(text).into_owned()
}

/// Each line: what a person or a program writes, and what is left of it.
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(shown(text), *expected, "{text}");
    }
}

#[test]
fn keys_of_many_services_are_known_by_their_beginning() {
    check(&[
        ("sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12", "‹secret:api-key›"),
        ("sk-ant-api03-Ab12Cd34Ef56Gh78-Ij90Kl12_AA", "‹secret:api-key›"),
        ("sk_live_51H8abcdEFGH1234ijkl", "‹secret:api-key›"),
        ("gsk_Ab12Cd34Ef56Gh78Ij90Kl12", "‹secret:api-key›"),
        ("hf_AbCdEfGhIj1234567890KlMn", "‹secret:huggingface›"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "‹secret:github›"),
        ("github_pat_11ABCDEFG0abcdefghij_KLMNOP", "‹secret:github›"),
        ("glpat-abcdEFGH1234ijkl5678", "‹secret:gitlab›"),
        ("AKIAIOSFODNN7EXAMPLE", "‹secret:aws›"),
        ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "‹secret:google›"),
        ("xoxb-123456789012-abcdefGHIJ", "‹secret:slack›"),
        ("npm_abcdefghij0123456789ABCDEF", "‹secret:npm›"),
        ("SG.abcdefghij0123456789AB.abcdefghij0123456789", "‹secret:sendgrid›"),
        ("dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef", "‹secret:digitalocean›"),
        ("AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ", "‹secret:private-key›"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", "‹secret:jwt›"),
    ]);
}

#[test]
fn a_key_is_found_wherever_it_stands() {
    let key = "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12";
    for (before, after) in [
        ("", ""),
        ("key ", "."),
        ("\"", "\""),
        ("\\n", "\\n"),
        ("a\\u000a", "\\u000a"),
        ("x%20", "%20y"),
        ("\u{1b}[31m", "\u{1b}[0m"),
        ("=", "&"),
        ("(", ")"),
        ("/", "/"),
        ("ü", "ü"),
        ("[31m", "[0m"),
    ] {
        let clean = shown(&format!("{before}{key}{after}"));
        assert!(clean.contains("‹secret:") && !clean.contains("Ef56"), "{before:?} -> {clean}");
    }
}

#[test]
fn private_keys_go_from_their_first_line_to_their_last() {
    check(&[
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAB==\n-----END RSA PRIVATE KEY-----\nb",
            "a\n‹secret:private-key›\nb",
        ),
        (
            r#""-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n""#,
            r#""‹secret:private-key›\n""#,
        ),
        (r#"{"k":"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl"}"#, r#"{"k":"‹secret:private-key›"}"#),
        (r#"say \"-----BEGIN PRIVATE KEY-----\nMII\" now"#, r#"say \"‹secret:private-key›\" now"#),
        (
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        ),
        (
            "-----BEGIN CERTIFICATE-----\nM\n-----END CERTIFICATE-----\n-----BEGIN EC PRIVATE KEY-----\nA\n-----END EC PRIVATE KEY-----",
            "-----BEGIN CERTIFICATE-----\nM\n-----END CERTIFICATE-----\n‹secret:private-key›",
        ),
    ]);
}

#[test]
fn headers_give_away_what_they_carry() {
    check(&[
        ("Authorization: Bearer abcDEF123456ghiJKL7", "Authorization: Bearer ‹secret:bearer›"),
        ("authorization: token abc12345", "authorization: token ‹secret:bearer›"),
        (r#""Authorization":"Basic dXNlcjpodW50ZXIy1""#, r#""Authorization":"Basic ‹secret:bearer›""#),
        ("curl -H 'Bearer AbCdEf0123456789AbCdEf'", "curl -H 'Bearer ‹secret:bearer›'"),
        ("x-api-key: AbCdEf0123456789AbCdEf", "x-api-key: ‹secret:key›"),
        ("the bearer of this letter", "the bearer of this letter"),
        ("Authorization: required", "Authorization: required"),
        ("basic understanding of things", "basic understanding of things"),
    ]);
}

#[test]
fn passwords_in_urls_go_and_the_rest_of_the_url_stays() {
    check(&[
        ("postgres://app:hunter2@db:5432/main", "postgres://app:‹secret:password›@db:5432/main"),
        ("https://user:p@ss@example.com/x?a=b", "https://user:‹secret:password›@example.com/x?a=b"),
        ("https://Ab12Cd34Ef56Gh78Ij90@example.com/", "https://‹secret:password›@example.com/"),
        ("redis://:sesame-1@cache", "redis://:‹secret:password›@cache"),
        ("https://example.com/a:b@c", "https://example.com/a:b@c"),
        ("ssh://git@github.com/x", "ssh://git@github.com/x"),
        ("postgres://app:$PASSWORD@db", "postgres://app:$PASSWORD@db"),
        ("postgres://app:{password}@db", "postgres://app:{password}@db"),
        ("https://user:***@host", "https://user:***@host"),
    ]);
}

#[test]
fn a_drawn_value_behind_a_telling_name_is_a_key() {
    check(&[
        ("API_KEY=abcd1234EFGH5678ijkl", "API_KEY=‹secret:key›"),
        ("api-key: 'abcd1234EFGH5678ijkl'", "api-key: '‹secret:key›'"),
        (r#"{"client_secret":"0a1b2c3d4e5f60718293a4b5"}"#, r#"{"client_secret":"‹secret:key›"}"#),
        (r#"{\"access_token\": \"0a1b2c3d4e5f60718293a4b5\"}"#, r#"{\"access_token\": \"‹secret:key›\"}"#),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = ‹secret:key›",
        ),
        ("?token=0a1b2c3d4e5f60718293a4b5&page=2", "?token=‹secret:key›&page=2"),
        ("githubToken => \"0a1b2c3d4e5f60718293a4b5\"", "githubToken => \"‹secret:key›\""),
        ("os.environ[\"TOKEN\"] = \"0a1b2c3d4e5f60718293a4b5\"", "os.environ[\"TOKEN\"] = \"‹secret:key›\""),
        ("password: \"Tr0ub4dor&3\"", "password: \"‹secret:password›\""),
        ("DB_PASSWORD='c0rrect-Horse'", "DB_PASSWORD='‹secret:password›'"),
        ("AccountKey=Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56==", "AccountKey=‹secret:key›"),
    ]);
}

#[test]
fn code_and_prose_about_secrets_stay_as_they_are() {
    let texts = [
        "password: string",
        "let token = get_token(user_id_1234567890);",
        "token = os.environ.get('TOKEN_2024')",
        "secretName: my-app-tls-2024-prod",
        "The token expires in 3600 seconds.",
        "tokens: 1234567890123456789",
        "password = input(\"Password: \")",
        "tokenizer: Qwen2TokenizerFast2024Model",
        "max_tokens=4096",
        "secret: process.env.SECRET_KEY_BASE_2",
        "api_key=YOUR_API_KEY_GOES_HERE",
        "api_key = xxxxxxxxxxxxxxxxxxx1",
        "password=\"${DB_PASSWORD}\"",
        "pwd=/home/user/projects/holm",
        "task-1234567890abcdefghijklmn",
        "risk-assessment-2024-final-version",
        "sk-loading-spinner-container-2",
        "passwords are kept in a vault",
        "credential.helper = store",
        "eyJ is how a JWT begins",
        "fn secret(&self) -> &str",
        "token: ‹secret:github›",
        "https://docs.rs/aho-corasick/1.1.5/aho_corasick/",
        "0123456789abcdef0123456789abcdef01234567",
        "a\\npm_abcdefghij0123456789ABCDEF",
        "token:\\nabcd1234EFGH5678ijkl",
        "AKIA is how an AWS key id begins",
        "xox is nothing",
        "ghp_short",
    ];
    for text in texts {
        assert_eq!(shown(text), text);
    }
}
