use super::{check, same};

#[test]
fn words_are_expanded() {
    same("a=1; echo $a ${a} \"$a\" '$a' \\$a \"x${a}y\"");
    same("a='x  y'; echo $a; echo \"$a\"; for w in $a; do echo \"[$w]\"; done");
    same("echo \"\" '' | od -c | head -1 >/dev/null; printf '<%s>' \"\" ''; echo");
    same("set -- a 'b c' d; printf '<%s>' \"$@\"; printf '<%s>' \"$*\"; printf '<%s>' $*; echo $#");
    same("set --; printf '<%s>' \"$@\"; echo; for x in \"$@\"; do echo no; done; echo end");
    same("echo {a,b}{1,2} x{1..3}y {c..a} {1..9..3} a{b,c{d,e}}f '{a,b}'");
    same("IFS=:; v=a:b::c; printf '<%s>' $v; echo; IFS=' :'; v='a : b::c'; printf '<%s>' $v");
    same("echo $'a\\tb\\n\\x41\\u00e4'");
    same("echo ~root >/dev/null; HOME=/h; echo ~ ~/x");
    same(
        "x=5; echo \"$((x+1)) $((x*2**3)) $((x>3?10:20)) $((x++)) $x $((--x)) $((7/2)) $((-7%3)) $((0x1f|32)) $((1<<4))\"",
    );
    same("echo $((1+2)) $(( (1+2)*3 )) $((!0)) $((~5)) $((3,4))");
    same("a=b; b=c; echo ${!a}");
    same("echo \"a\\\\b \\$x \\` \\q\"");
}

#[test]
fn parameters_are_changed_as_asked() {
    same("f=/a/b/c.tar.gz; echo ${f##*/} ${f%/*} ${f%.*} ${f%%.*} ${f#*/} ${#f}");
    same("u=; echo ${u:-d} ${u-d} ${n:-d} ${n-d} ${u:+a} ${f:+a} \"${n:-a b}\"; echo ${n:=z} $n");
    same("s=hello; echo ${s:1:3} ${s:2} ${s: -2} ${s:0:-1} ${s/l/L} ${s//l/L} ${s/#he/x} ${s/%lo/y} ${s//l}");
    same("s=hello; echo ${s^} ${s^^} ${s^^[el]}; t=ABC; echo ${t,} ${t,,}");
    same("set -- a b c d; echo ${@:2} ${@:2:2} ${*:1:1} ${#}");
    same("a='it'\\''s'; echo ${a@Q} ${a@U}");
    same("set -u; echo ${x-ok}; echo $x; echo never");
    same("echo ${x:?gone}; echo never");
    same("x='a b'; printf '<%s>' ${x:+\"$x\"} ${y:-\"c d\"} ${y:-c d}");
    same("p='*.c'; s=a.c; echo ${s%$p} ${s%\"$p\"}");
}

#[test]
fn lists_and_maps_hold_texts() {
    same("a=(x 'y z' w); echo ${a[1]} ${#a[@]} ${a[-1]} \"${a[@]:1:2}\"; printf '<%s>' \"${a[@]}\" ${a[@]}");
    same("a=(1 2 3); a+=(4); a[7]=8; echo ${!a[@]} \"${a[*]}\" ${#a[7]}; unset 'a[1]'; echo ${a[@]}");
    same("declare -A m; m[k]=v; m['a b']=c; echo ${m[k]} \"${m[a b]}\" ${#m[@]}; [[ -v m[k] ]] && echo has");
    same("declare -A m=([x]=1 [y]=2); for k in x y; do echo $k=${m[$k]}; done; unset 'm[x]'; echo ${#m[@]}");
    same("a=(b a c); for i in \"${!a[@]}\"; do echo $i ${a[i]}; done; echo ${a[@]/a/A} ${a[@]^^}");
    same("a=(); echo ${#a[@]} \"${a[@]}\"; f() { echo $#; }; f \"${a[@]}\"");
    same("read -ra w <<< 'x y  z'; echo ${#w[@]} ${w[2]}; mapfile -t l < <(printf 'a\\nb\\n'); echo ${l[1]}");
    same("i=1; a[i+1]=q; echo ${a[2]}; (( a[2] = 5 + 1 )); echo ${a[2]}");
}

#[test]
fn control_flows_as_in_bash() {
    same("if false; then echo a; elif true; then echo b; else echo c; fi");
    same("for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done");
    same(
        "for ((i=0;i<3;i++)); do echo $i; done; i=0; while ((i<3)); do ((i++)); done; echo $i; until ((i==0)); do ((i--)); done; echo $i",
    );
    same("for a in 1 2; do for b in 1 2; do [ $b = 2 ] && continue 2; echo $a$b; done; done");
    same(
        "case abc in a*) echo 1;; *) echo 2;; esac; case x in y|x) echo 3;& z) echo 4;; esac; case q in q) echo 5;;& q) echo 6;; esac",
    );
    same(
        "case 'a b' in 'a b') echo q;; esac; case a.c in *.[ch]) echo c;; esac; case foo in @(foo|bar)) echo e;; esac; case z in !(a|b)) echo n;; esac",
    );
    same("f() { local x=2; echo $x $1; return 3; }; x=1; f a; echo $? $x");
    same("f() { echo \"$#: $*\"; shift; [ $# -gt 0 ] && f \"$@\"; return 0; }; f a b c");
    same("(x=1; cd /; exit 4); echo $? \"$x\"; { y=2; }; echo $y");
    same("fact() { if (( $1 < 2 )); then echo 1; else echo $(( $1 * $(fact $(( $1 - 1 ))) )); fi; }; fact 7");
    same("true && echo a || echo b; false && echo c || echo d; ! true; echo $?; ! false; echo $?");
    same("false; x=$?; echo $x; y=$(exit 3); echo $?");
    same(
        "[[ abc == a* && ! b == c ]] && echo y; [[ a < b ]] && echo l; [[ foo =~ ^f(o+)$ ]] && echo ${BASH_REMATCH[1]}; [[ -z '' && -n x ]] && echo z",
    );
    same(
        "[ 1 -lt 2 -a 2 -gt 1 ] && echo a; test ! -e nothing && echo b; [ \"a\" = \"a\" ] && echo c; [ ]; echo $?; [ 3 -eq x ]; echo $?",
    );
    same("eval 'x=1; echo $x'; cmd='echo hi'; $cmd; set -- 'a b'; eval \"printf '<%s>' \\\"\\$1\\\"\"");
    same("while read -r a b; do echo \"$b-$a\"; done <<< $'1 2 3\\nx y'");
    same("select() { echo s; }; x() { y() { echo inner; }; y; }; x; y; type x >/dev/null && echo found");
    same("while getopts 'ab:' o -a -b v rest; do echo $o ${OPTARG-}; done; echo $OPTIND");
}

#[test]
fn pipes_and_redirections_move_bytes() {
    same("printf 'b\\na\\n' | sort | head -1; echo a | cat | cat | wc -c");
    same("echo x | { read a; echo \"<$a>\"; }; echo y | while read l; do echo \"[$l]\"; done");
    same("echo a > f; echo b >> f; cat < f; cat f | tr ab xy; : > f; cat f; wc -c < f");
    same("{ echo out; echo err >&2; } 2>/dev/null; { echo err >&2; } 2>&1; ls nothing 2>/dev/null; echo $?");
    same("cat <<E\nx $((1+1)) $(echo y) `echo z` \\$a\nE\ncat <<'E'\n$raw\nE\ncat <<-E\n\t\ttabs\n\tE\n");
    same("cat <<A; cat <<B\n1\nA\n2\nB\n");
    same("f() { cat; }; f <<< here; echo \"$(cat <<< a; echo b)\"");
    same(
        "exec 3> g; echo three >&3; exec 3>&-; cat g; echo x &> h; cat h; (echo a; echo b >&2) > i 2>&1; cat i",
    );
    same(
        "false | true; echo $?; set -o pipefail; false | true; echo $?; true | false | true; echo ${PIPESTATUS[@]}",
    );
    same("diff() { :; }; cat <(echo a) <(echo b); x=$(< /dev/null); echo \"[$x]\"");
    same("echo a b c | (read x y; echo $y $x); echo '  lead' | { IFS= read -r l; echo \"[$l]\"; }");
    same("printf 'a\\nb' | while read -r l || [ -n \"$l\" ]; do echo \"<$l>\"; done");
    same("cat nothing 2>&1 >/dev/null | sed 's/.*: //'");
    same("x=$(echo a; exit 5); echo $x $?; echo $(echo $(echo deep))");
    same("echo hi | tee a b > c; cat a b c");
}

#[test]
fn failures_end_what_they_must() {
    same("set -e; false || true; if false; then :; fi; ! true; echo a; false; echo never");
    same("set -e; f() { false; echo never; }; f; echo never");
    same("set -e; x=$(false); echo never");
    same("set -e; (exit 3); echo never");
    same("set -e; f() { false; true; }; f && echo in; echo out");
    same("set -euo pipefail; true | false | true; echo never");
    same("trap 'echo bye $?' EXIT; echo hi; exit 3");
    same("trap 'echo bye' EXIT; (echo sub); echo main");
    same("trap 'echo failed' ERR; false; echo on; if false; then :; fi");
    same("set -u; echo \"${a[@]-none}\"; echo $nope; echo never");
    same("readonly r=1; echo $r; r=2; echo never");
    same("nosuchcommand 2>/dev/null; echo $?; /no/such 2>/dev/null; echo $?");
    same("f() { return 7; }; f; echo $?; exit 300");
}

#[test]
fn names_of_files_are_found() {
    same(
        "mkdir -p d/e; touch a.c b.c .h d/x.c d/e/y.c; echo *.c; echo d/*; echo */*.c; echo .h*; echo *; echo [ab].c; echo ?.c; echo '*.c' \"*\"; echo n*ne",
    );
    same(
        "touch a b; for f in *; do echo \"<$f>\"; done; shopt -s nullglob; echo x*; shopt -s globstar; mkdir -p p/q; touch p/q/z; echo p/**",
    );
    same("touch 'a b' c; for f in *; do echo \"[$f]\"; done; ls | wc -l; set -f; echo *");
    same("touch a1 b2; echo !(a*); echo @(a|b)?; echo *(a)1; echo +([ab])[0-9]");
    same(
        "cd /; pwd; cd - >/dev/null; mkdir x; cd x; [ \"${PWD##*/}\" = x ] && echo in; cd ..; cd nothing 2>/dev/null || echo no",
    );
}

#[test]
fn printing_is_exact() {
    same(
        "printf '%5d|%-5s|%05.1f|%x|%o|%c|%%|%s\\n' 42 ab 3.14159 255 8 xyz end; printf '%s %s\\n' a b c; printf '%s\\n'",
    );
    same(
        "printf '%q %b\\n' \"a b\" 'x\\ty'; printf -v v '%03d' 7; echo $v; printf '%e %g %G\\n' 12345.678 0.0001 1e10; printf '%+d % d %i\\n' 5 5 0x10",
    );
    same("echo -n a; echo -e 'b\\tc'; echo -E 'd\\n'; echo -- x; echo -nx");
    same("printf '%*d|%.2s|%-*s|\\n' 5 42 abc 4 z; printf \"%d\\n\" \"'A\"");
}

#[test]
fn what_runs_beside_the_shell_runs_at_once() {
    check("echo a & wait; echo b", 0, "a\nb\n");
    check("x=1; x=2 & wait; echo $x", 0, "1\n");
}

#[test]
fn what_cannot_be_run_or_read_says_so() {
    check("git status", 127, "");
    check("if", 2, "");
    check("source nothing", 1, "");
}
