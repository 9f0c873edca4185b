//! The known kinds of keys, each with its prefix.

use super::{Alphabet, Begins, Reads, Shape, Value};

const fn key(marker: &'static str, kind: &'static str, alphabet: Alphabet, least: usize) -> Shape {
    Shape { marker, kind, reads: Reads::Key { alphabet, least, begins: Begins::Anywhere } }
}

const fn word(marker: &'static str, kind: &'static str, alphabet: Alphabet, least: usize) -> Shape {
    Shape { marker, kind, reads: Reads::Key { alphabet, least, begins: Begins::Word } }
}

const fn other(marker: &'static str, kind: &'static str, reads: Reads) -> Shape {
    Shape { marker, kind, reads }
}

pub(in crate::secrets) const SHAPES: &[Shape] = &[
    word("sk-", "api-key", Alphabet::Dashes, 17),
    word("sk_", "api-key", Alphabet::Letters, 16),
    word("rk_", "api-key", Alphabet::Letters, 16),
    word("gsk_", "api-key", Alphabet::Letters, 20),
    word("xai-", "api-key", Alphabet::Dashes, 20),
    word("pplx-", "api-key", Alphabet::Letters, 20),
    word("tvly-", "api-key", Alphabet::Dashes, 16),
    word("hf_", "huggingface", Alphabet::Letters, 20),
    word("r8_", "api-key", Alphabet::Letters, 20),
    word("npm_", "npm", Alphabet::Letters, 20),
    word("dapi", "api-key", Alphabet::Letters, 28),
    word("whsec_", "webhook", Alphabet::Letters, 16),
    word("hvs.", "vault", Alphabet::Dashes, 20),
    word("SG.", "sendgrid", Alphabet::Dots, 30),
    word("ya29.", "google", Alphabet::Dashes, 20),
    key("github_pat_", "github", Alphabet::Letters, 20),
    key("ghp_", "github", Alphabet::Letters, 30),
    key("gho_", "github", Alphabet::Letters, 30),
    key("ghu_", "github", Alphabet::Letters, 30),
    key("ghs_", "github", Alphabet::Letters, 30),
    key("ghr_", "github", Alphabet::Letters, 30),
    key("glpat-", "gitlab", Alphabet::Dashes, 16),
    key("AKIA", "aws", Alphabet::Capitals, 16),
    key("ASIA", "aws", Alphabet::Capitals, 16),
    key("AIza", "google", Alphabet::Dashes, 30),
    key("GOCSPX-", "google", Alphabet::Dashes, 20),
    key("xoxb-", "slack", Alphabet::Dashes, 10),
    key("xoxp-", "slack", Alphabet::Dashes, 10),
    key("xoxa-", "slack", Alphabet::Dashes, 10),
    key("xoxr-", "slack", Alphabet::Dashes, 10),
    key("xoxs-", "slack", Alphabet::Dashes, 10),
    key("xoxe", "slack", Alphabet::Dots, 20),
    key("xapp-", "slack", Alphabet::Dashes, 16),
    key("dop_v1_", "digitalocean", Alphabet::Letters, 32),
    key("dckr_pat_", "docker", Alphabet::Dashes, 16),
    key("shpat_", "shopify", Alphabet::Letters, 24),
    key("lin_api_", "api-key", Alphabet::Letters, 20),
    key("pypi-AgEIcHlwaS5vcmc", "pypi", Alphabet::Dashes, 20),
    key("AGE-SECRET-KEY-1", "private-key", Alphabet::Capitals, 40),
    other("eyJ", "jwt", Reads::Jwt),
    other("-----BEGIN ", "private-key", Reads::Pem),
    other("bearer", "bearer", Reads::Scheme),
    other("basic", "bearer", Reads::Scheme),
    other("authorization", "bearer", Reads::Header),
    other("api_key", "key", Reads::Assigned(Value::Key)),
    other("api-key", "key", Reads::Assigned(Value::Key)),
    other("apikey", "key", Reads::Assigned(Value::Key)),
    other("access_key", "key", Reads::Assigned(Value::Key)),
    other("accesskey", "key", Reads::Assigned(Value::Key)),
    other("accountkey", "key", Reads::Assigned(Value::Key)),
    other("private_key", "key", Reads::Assigned(Value::Key)),
    other("auth_key", "key", Reads::Assigned(Value::Key)),
    other("secret", "key", Reads::Assigned(Value::Password)),
    other("token", "key", Reads::Assigned(Value::Key)),
    other("credential", "key", Reads::Assigned(Value::Password)),
    other("passw", "password", Reads::Assigned(Value::Password)),
    other("passphrase", "password", Reads::Assigned(Value::Password)),
    other("pwd", "password", Reads::Assigned(Value::Password)),
    other("://", "password", Reads::Userinfo),
];
