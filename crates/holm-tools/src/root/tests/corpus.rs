//! The attacks on paths, by name. Each is tried by every tool.

/// Paths that are refused for reads and writes. `{outside}` stands for the real path of what
/// lies beside the root.
pub(crate) const REFUSED: &[(&str, &str)] = &[
    ("up", "../outside/secret.txt"),
    ("up from within", "a/../../outside/secret.txt"),
    ("up at the end", "a/b/../../../outside/secret.txt"),
    ("up often", "../../../../../../../../../../../../etc/passwd"),
    ("up to the root's own folder", "../root/.env"),
    ("up with backslashes", "..\\outside\\secret.txt"),
    ("up with both slashes", "a\\..\\../outside/secret.txt"),
    ("absolute", "/etc/passwd"),
    ("absolute, beside the root", "{outside}/secret.txt"),
    ("absolute with two slashes", "//etc/passwd"),
    ("absolute with dots", "/./etc/./passwd"),
    ("absolute, in and out again", "{root}/../outside/secret.txt"),
    ("absolute, a name that begins alike", "{root}-twin/secret.txt"),
    ("nothing", ""),
    ("zero byte", "ok.txt\0"),
    ("zero byte before the way out", "ok.txt\0/../../outside/secret.txt"),
    ("line end", "ok.txt\n"),
    ("carriage return", "ok.txt\r"),
    ("escape", "\u{1b}[2Jok.txt"),
    ("right to left", "ok\u{202e}txt"),
    ("zero width", "o\u{200b}k.txt"),
    ("tag characters", "ok.txt\u{e0041}"),
    ("home", "~"),
    ("beneath home", "~/.ssh/id_ed25519"),
    ("process root", "/proc/self/root/etc/passwd"),
    ("process folder", "/proc/self/cwd/ok.txt"),
    ("process handle", "/proc/self/fd/0"),
    ("process environment", "/proc/self/environ"),
    ("process memory", "/proc/self/mem"),
    ("thread's own", "/proc/thread-self/root/etc/passwd"),
    ("another process", "/proc/1/environ"),
    ("handle by number", "/dev/fd/0"),
    ("standard input", "/dev/stdin"),
    ("kernel", "/sys/kernel/notes"),
    ("link to a file outside", "to_file"),
    ("link to a folder outside", "to_folder/secret.txt"),
    ("link to a folder outside, deeper", "to_folder/deep/secret.txt"),
    ("link to a link", "to_link"),
    ("links in a circle", "loop_a"),
    ("through links in a circle", "loop_a/x"),
    ("link to what is missing outside", "dangling"),
    ("new file through a link to a missing folder", "dangling_folder/new.txt"),
    ("new file through a link", "to_folder/new.txt"),
    ("link upwards", "up/outside/secret.txt"),
    ("link to here, then up", "here/up/outside/secret.txt"),
    ("link in a folder", "a/nested/secret.txt"),
    ("magic link", "magic/ok.txt"),
    ("magic root", "magic_root/etc/passwd"),
    ("absolute link", "absolute"),
    ("link to a secret", "to_env"),
    ("link to git's folder", "to_git/config"),
    ("link that is a folder's name", "to_folder"),
    ("secret file", ".env"),
    ("secret file in a folder", "a/.env"),
    ("secret file with a suffix", ".env.local"),
    ("secret file in capitals", ".ENV"),
    ("secret file in mixed case", "a/.Env"),
    ("secret file with a dot behind", ".env."),
    ("secret file with a space behind", ".env "),
    ("secret file as a stream", ".env::$DATA"),
    ("secret file by dots", "a/../.env"),
    ("secret file by a joiner", ".e\u{200d}nv"),
    ("git's configuration", ".git/config"),
    ("git's configuration in capitals", ".GIT/config"),
    ("git's folder with a dot behind", ".git./config"),
    ("git's folder by its short name", "git~1/config"),
    ("git's folder by a joiner", ".g\u{200c}it/config"),
    ("git's folder with a dotless i", ".g\u{131}t/config"),
    ("git's folder in a folder", "a/.git/config"),
    ("private key", "id_rsa"),
    ("private key in its folder", ".ssh/id_ed25519"),
    ("key folder with a long s", ".\u{17f}sh/id_ed25519"),
    ("certificate key", "server.pem"),
    ("pipe", "pipe"),
    ("socket", "socket"),
    ("beneath a file", "ok.txt/x"),
    ("the root itself as a file", "a/.."),
];

/// Paths that a decoder would turn into a way out. Holm does not decode, so these are names that do
/// not exist. Writing to one creates a file of just that name.
pub(crate) const NAMES: &[(&str, &str)] = &[
    ("up in percent", "%2e%2e/outside/secret.txt"),
    ("up and slash in percent", "..%2foutside%2fsecret.txt"),
    ("up in percent twice", "%252e%252e/outside/secret.txt"),
    ("up in overlong UTF-8", "%c0%ae%c0%ae/outside/secret.txt"),
    ("full-width dots", "\u{ff0e}\u{ff0e}/outside/secret.txt"),
    ("dot leaders", "\u{2024}\u{2024}/outside/secret.txt"),
    ("one two-dot leader", "\u{2025}/outside/secret.txt"),
    ("full-width slash", "..\u{ff0f}outside\u{ff0f}secret.txt"),
    ("home of another", "~root/notes.txt"),
];

/// What may be read and not be written, also where it does not exist yet.
pub(crate) const UNWRITTEN: &[(&str, &str)] = &[
    ("Holm's configuration", ".holm/config.toml"),
    ("Holm's hooks", ".holm/hooks/before_call"),
    ("Holm's folder in a folder", "a/.HOLM/agent.json"),
    ("shell start", ".bashrc"),
    ("shell start in a folder", "a/.zshenv"),
    ("shell profile", ".profile"),
    ("fish", ".config/fish/config.fish"),
    ("git's personal configuration", ".gitconfig"),
    ("git's other personal configuration", ".config/git/config"),
    ("git hook that is new", ".git/hooks/pre-commit"),
    ("git file in place of git's folder", "a/b/.git"),
    ("bare repository's configuration", "bare/config"),
    ("bare repository's hook that is new", "bare/hooks/post-checkout"),
    ("bare repository's attributes", "bare/info/attributes"),
    ("head of a new bare repository", "evil/HEAD"),
    ("common folder of a work tree", "evil/commondir"),
    ("tool", "tools/say"),
    ("new tool", "tools/evil"),
    ("tool in a new folder", "tools/new/evil"),
    ("Holm's data", "held/journal.db"),
];

/// What looks odd and is harmless: it must work.
pub(crate) const BENIGN: &[(&str, &str)] = &[
    ("plain", "ok.txt"),
    ("dot in front", "./ok.txt"),
    ("dots within", "a/./b/../ok.txt"),
    ("two slashes", "a//ok.txt"),
    ("slash behind", "ok.txt/"),
    ("dot behind", "ok.txt/."),
    ("deep", "a/b/ok.txt"),
    ("absolute, in the root", "{root}/a/ok.txt"),
    ("a name that begins with dots", "a/..ok"),
    ("a name in percent", "%2e%2e"),
    ("example of a secret file", ".env.example"),
    ("public key", "id_rsa.pub"),
];

/// The text with the places of a stage put in, and the long ones that no table should hold.
pub(crate) fn all(base: &std::path::Path) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> =
        REFUSED.iter().map(|(name, path)| ((*name).to_owned(), filled(path, base))).collect();
    all.push(("5,000 characters".into(), "x".repeat(5_000)));
    all.push(("5,000 characters of folders".into(), "x/".repeat(2_500) + "y"));
    all.push(("300 folders".into(), vec!["a"; 300].join("/")));
    all.push(("300 ups".into(), "../".repeat(300) + "etc/passwd"));
    all.push(("a name of 256 bytes".into(), "n".repeat(256)));
    all
}

pub(crate) fn filled(path: &str, base: &std::path::Path) -> String {
    let base = base.canonicalize().unwrap();
    let place = |name: &str| base.join(name).to_str().unwrap().to_owned();
    path.replace("{outside}", &place("outside")).replace("{root}", &place("root"))
}
