//! The known kinds of keys, each with its prefix.
//!
//! A new kind of key with a prefix is one line here. How the text after a prefix is read is in
//! `secrets/shapes.rs`. A prefix that occurs in ordinary words must be declared as the beginning of
//! a word.

use super::{AssignedValue, KeyAlphabet, KeyShape, PrefixPosition, ShapeReader};

const fn key(marker: &'static str, kind: &'static str, alphabet: KeyAlphabet, least: usize) -> KeyShape {
    KeyShape { marker, kind, reads: ShapeReader::Key { alphabet, least, begins: PrefixPosition::Anywhere } }
}

const fn word(marker: &'static str, kind: &'static str, alphabet: KeyAlphabet, least: usize) -> KeyShape {
    KeyShape { marker, kind, reads: ShapeReader::Key { alphabet, least, begins: PrefixPosition::Word } }
}

const fn other(marker: &'static str, kind: &'static str, reads: ShapeReader) -> KeyShape {
    KeyShape { marker, kind, reads }
}

pub(in crate::secrets) const SHAPES: &[KeyShape] = &[
    word("sk-", "api-key", KeyAlphabet::Dashes, 17),
    word("sk_", "api-key", KeyAlphabet::Letters, 16),
    word("rk_", "api-key", KeyAlphabet::Letters, 16),
    word("gsk_", "api-key", KeyAlphabet::Letters, 20),
    word("xai-", "api-key", KeyAlphabet::Dashes, 20),
    word("pplx-", "api-key", KeyAlphabet::Letters, 20),
    word("tvly-", "api-key", KeyAlphabet::Dashes, 16),
    word("hf_", "huggingface", KeyAlphabet::Letters, 20),
    word("r8_", "api-key", KeyAlphabet::Letters, 20),
    word("npm_", "npm", KeyAlphabet::Letters, 20),
    word("dapi", "api-key", KeyAlphabet::Letters, 28),
    word("whsec_", "webhook", KeyAlphabet::Letters, 16),
    word("hvs.", "vault", KeyAlphabet::Dashes, 20),
    word("SG.", "sendgrid", KeyAlphabet::Dots, 30),
    word("ya29.", "google", KeyAlphabet::Dashes, 20),
    key("github_pat_", "github", KeyAlphabet::Letters, 20),
    key("ghp_", "github", KeyAlphabet::Letters, 30),
    key("gho_", "github", KeyAlphabet::Letters, 30),
    key("ghu_", "github", KeyAlphabet::Letters, 30),
    key("ghs_", "github", KeyAlphabet::Letters, 30),
    key("ghr_", "github", KeyAlphabet::Letters, 30),
    key("glpat-", "gitlab", KeyAlphabet::Dashes, 16),
    key("AKIA", "aws", KeyAlphabet::Capitals, 16),
    key("ASIA", "aws", KeyAlphabet::Capitals, 16),
    key("AIza", "google", KeyAlphabet::Dashes, 30),
    key("GOCSPX-", "google", KeyAlphabet::Dashes, 20),
    key("xoxb-", "slack", KeyAlphabet::Dashes, 10),
    key("xoxp-", "slack", KeyAlphabet::Dashes, 10),
    key("xoxa-", "slack", KeyAlphabet::Dashes, 10),
    key("xoxr-", "slack", KeyAlphabet::Dashes, 10),
    key("xoxs-", "slack", KeyAlphabet::Dashes, 10),
    key("xoxe", "slack", KeyAlphabet::Dots, 20),
    key("xapp-", "slack", KeyAlphabet::Dashes, 16),
    key("dop_v1_", "digitalocean", KeyAlphabet::Letters, 32),
    key("dckr_pat_", "docker", KeyAlphabet::Dashes, 16),
    key("shpat_", "shopify", KeyAlphabet::Letters, 24),
    key("lin_api_", "api-key", KeyAlphabet::Letters, 20),
    key("pypi-AgEIcHlwaS5vcmc", "pypi", KeyAlphabet::Dashes, 20),
    key("AGE-SECRET-KEY-1", "private-key", KeyAlphabet::Capitals, 40),
    other("eyJ", "jwt", ShapeReader::Jwt),
    other("-----BEGIN ", "private-key", ShapeReader::Pem),
    other("bearer", "bearer", ShapeReader::Scheme),
    other("basic", "bearer", ShapeReader::Scheme),
    other("authorization", "bearer", ShapeReader::Header),
    other("api_key", "key", ShapeReader::Assigned(AssignedValue::Key)),
    other("api-key", "key", ShapeReader::Assigned(AssignedValue::Key)),
    other("apikey", "key", ShapeReader::Assigned(AssignedValue::Key)),
    other("access_key", "key", ShapeReader::Assigned(AssignedValue::Key)),
    other("accesskey", "key", ShapeReader::Assigned(AssignedValue::Key)),
    other("accountkey", "key", ShapeReader::Assigned(AssignedValue::Key)),
    other("private_key", "key", ShapeReader::Assigned(AssignedValue::Key)),
    other("auth_key", "key", ShapeReader::Assigned(AssignedValue::Key)),
    other("secret", "key", ShapeReader::Assigned(AssignedValue::Password)),
    other("token", "key", ShapeReader::Assigned(AssignedValue::Key)),
    other("credential", "key", ShapeReader::Assigned(AssignedValue::Password)),
    other("passw", "password", ShapeReader::Assigned(AssignedValue::Password)),
    other("passphrase", "password", ShapeReader::Assigned(AssignedValue::Password)),
    other("pwd", "password", ShapeReader::Assigned(AssignedValue::Password)),
    other("://", "password", ShapeReader::Userinfo),
];
