use super::{check, same};

const LINES: &str = "printf 'pear 3\\napple 10\\nfig 2\\napple 1\\n' > f; ";

#[track_caller]
fn with_lines(script: &str) {
    same(&format!("{LINES}{script}"));
}

#[test]
fn lines_are_taken_from_either_end() {
    with_lines(
        "head -n 2 f; head -1 f; tail -n 1 f; tail -n +3 f; head -n -1 f; tail -2 f; head -c 4 f; tail -c 3 f; tac f; rev f",
    );
    with_lines("cat -n f; cat f - < f; wc -l f; wc -w < f; wc -c < f; nl() { :; }; head -n1 f f");
}

#[test]
fn lines_are_sorted_and_counted() {
    with_lines(
        "sort f; sort -r f; sort -k2n f; sort -k2,2nr f; sort -t' ' -k1,1 -k2,2n f; sort -u -k1,1 f; sort -n f",
    );
    with_lines(
        "cut -d' ' -f1 f | sort | uniq -c | sort -rn | sed 's/^ *//'; cut -d' ' -f1 f | sort | uniq -d; cut -d' ' -f1 f | uniq -u",
    );
    same(
        "printf '10\\n9\\n2K\\n1M\\n' | sort -h; printf 'v1.10\\nv1.9\\n' | sort -V; printf 'b\\nA\\na\\n' | sort -f; printf 'a\\nb\\n' | sort -c; echo $?",
    );
}

#[test]
fn pieces_are_cut_and_letters_changed() {
    same(
        "echo a:b:c:d | cut -d: -f2; echo a:b:c:d | cut -d: -f2-3,4; echo abcdef | cut -c2-4; echo abcdef | cut -c-2; echo nodelim | cut -d: -f1; echo nodelim | cut -s -d: -f1; echo a:b:c | cut -d: --complement -f2",
    );
    same(
        "echo Hello | tr a-z A-Z; echo hello | tr -d l; echo aabbcc | tr -s ab; echo 'a b' | tr ' ' '\\n'; echo abc123 | tr -cd '0-9\\n'; echo abc | tr '[:lower:]' '[:upper:]'; echo 'x  y' | tr -s ' '; echo abc | tr abc x",
    );
}

#[test]
fn text_is_searched() {
    with_lines(
        "grep apple f; grep -c apple f; grep -v apple f; grep -n fig f; grep -i APPLE f; grep -o 'a[a-z]*' f; grep -w 1 f; grep -x 'fig 2' f; grep -q none f; echo $?; grep -l fig f; grep -E 'fig|pear' f; grep 'app\\(le\\)' f; grep -F '.' f; echo $?",
    );
    with_lines(
        "grep -A1 fig f; grep -B1 fig f; grep -C1 fig f; grep -m1 apple f; grep -e fig -e pear f; mkdir d; cp f d/g; grep -r fig d; grep -rl fig d; grep -h fig f d/g; grep -H fig f; grep 'a\\|z' f; grep '^f' f; grep '2$' f; grep -E '[0-9]{2}' f",
    );
}

#[test]
fn text_is_edited() {
    with_lines(
        "sed 's/apple/APPLE/' f; sed -n '2p' f; sed '2d' f; sed '2,3d' f; sed '$d' f; sed -n '/fig/p' f; sed '/pear/,/fig/d' f; sed 's/[0-9]/<&>/g' f; sed -E 's/([a-z]+) ([0-9]+)/\\2 \\1/' f; sed 's/\\([a-z]*\\) \\(.*\\)/\\2-\\1/' f",
    );
    with_lines(
        "sed -n '1!p' f; sed 's/a/X/2' f; sed 's/P/q/Ig' f; sed '1i top' f; sed '$a end' f; sed '2c new' f; sed -e 's/a/1/' -e 's/1/2/' f; sed 's|/|_|g;s/p/P/' f; sed = f | head -2; sed 3q f; sed 'y/abc/xyz/' f; sed -n '$=' f; sed '2,3s/^/# /' f; sed '0~2d' f; sed 'N;s/\\n/+/' f; sed -n '/apple/{s/a/A/;p}' f",
    );
    with_lines(
        "sed -i 's/fig/FIG/' f; cat f; sed -i.bak 's/FIG/fog/' f; cat f f.bak; sed 's/\\(.\\)/\\U\\1/' f; sed '/a/!d' f; sed -n '2,+1p' f; sed G f | wc -l; sed '1!G;h;$!d' f; sed 's/.*/\"&\"/' f",
    );
}

#[test]
fn files_are_made_moved_and_removed() {
    same(
        "mkdir -p a/b/c; echo x > a/b/c/f; cp -r a z; ls z/b/c; mv z y; ls; cp a/b/c/f g; cat g; mv g a; ls a; rm -r y; ls; rmdir a/b 2>/dev/null || echo full; rm a/g; rm none 2>/dev/null || echo missing; rm -f none; echo $?; touch n; [ -f n ] && echo made; mkdir n 2>/dev/null || echo exists",
    );
    same(
        "mkdir d; touch d/b d/a .h; ls; ls -a | grep -c h; ls d; ls -1 d; ls -d d; ls -r d; ls nothing 2>/dev/null; echo $?; ls d/a d; echo data > d/a; ls -S d",
    );
    same(
        "echo a > f; cp f g; cp -n g f; cat f g; touch x y; mkdir t; cp x y t; ls t; mv x y t; ls; cp f t/; ls t",
    );
}

#[test]
fn files_are_found() {
    same(
        "mkdir -p d/e; touch d/a.c d/b.h d/e/c.c; find . | sort; find d -name '*.c' | sort; find . -type d | sort; find . -type f -name 'b*'; find . -maxdepth 1 | sort; find d -mindepth 1 -type f | sort; find . -name '*.c' -o -name '*.h' | sort; find . ! -name '*.c' -type f; find d -path '*e*' | sort; find . -empty -type f | sort; find d -iname 'A*'",
    );
    same(
        "mkdir d; echo 1 > d/x; echo 22 > d/y; find d -type f -exec cat {} \\; | sort; find d -type f -exec cat {} + | sort; find d -name x -delete; ls d; find d -type f -print0 | xargs -0 cat; find . -size +0c -type f; find d -name e -prune -o -type f -print",
    );
}

#[test]
fn commands_are_made_of_input() {
    same(
        "echo a b c | xargs echo; echo a b c | xargs -n1 echo x; printf 'a b\\nc\\n' | xargs -I{} echo '<{}>'; printf 'a\\0b c\\0' | xargs -0 -n1 echo; echo \"'a b' c\" | xargs -n1; xargs -r echo no < /dev/null; echo 1 2 | xargs -n1 false; echo $?",
    );
    same("seq 3; seq 2 4; seq 1 2 7; seq 3 -1 1; seq -s, 3; seq -w 8 10; seq 0.5 0.5 2");
    same(
        "basename /a/b.c; basename /a/b.c .c; basename b; dirname /a/b.c; dirname b; dirname /a; basename /a/b/; dirname a/b/",
    );
    same(
        "A=1 env | grep '^A='; env X=2 printenv X; export Z=3; env | grep '^Z='; printenv Z; printenv none; echo $?",
    );
    same(
        "echo ok | tee f; cat f; echo more | tee -a f >/dev/null; cat f; true; false; echo $?; sleep 0.01; : anything",
    );
}

#[test]
fn dates_are_written() {
    same(
        "date -u -d @0 '+%Y-%m-%d %H:%M:%S %a %A %b %B %j %u %w %e %y %p %I %s %F %T %R %D'; date -u -d @951782400 +%F; date -u -d '2024-02-29 12:34:56' '+%s %j'; date -u -d 2000-01-01 +%A; date -u -d @1700000000 '+%-d/%-m'",
    );
    let (status, output, _) = crate::run_script("date +%s", "", "/");
    assert!(status == 0 && output.trim().parse::<u64>().unwrap() > 1_700_000_000);
}

#[test]
fn a_wrong_call_of_a_utility_fails() {
    check("ls -?", 2, "");
    check("grep", 2, "");
    check("cut f", 1, "");
    check("sort -k x /dev/null", 2, "");
    check("head -n x", 1, "");
    check("sed 's/a' /dev/null", 1, "");
    check("find . -nope", 1, "");
    check("cp a", 1, "");
}
