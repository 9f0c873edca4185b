use crate::{TOOL, work};

fn run(words: &[&str]) -> Result<String, String> {
    let mut out = Vec::new();
    let line = words.iter().map(|&word| word.to_owned());
    let done = TOOL.call(line).and_then(|values| work(&values, &mut out));
    done.map(|()| String::from_utf8(out).unwrap()).map_err(|fault| fault.to_string())
}

#[track_caller]
fn check(code: &str, expect: &str) {
    assert_eq!(run(&[code]).as_deref(), Ok(expect), "{code}");
}

#[test]
fn the_last_value_is_the_answer() {
    check("1 + 2", "3\n");
    check("'a' + 'b'", "ab\n");
    check("[1, 2].map(x => x * 2)", "[2,4]\n");
    check("({ a: { b: null } })", "{\"a\":{\"b\":null}}\n");
    check("let x = 1;", "");
    check("console.log('a', 1, { b: 2 }); 'end'", "a 1 {\"b\":2}\nend\n");
    check("Promise.resolve(1).then(x => console.log('later', x)); undefined", "later 1\n");
    check("[...new Set([3, 1, 3])].sort().join()", "1,3\n");
    check("JSON.parse('{\"n\":[1]}').n[0]", "1\n");
}

#[test]
fn a_script_gets_its_arguments() {
    assert_eq!(run(&["args.join('+')", "a", "b"]).as_deref(), Ok("a+b\n"));
}

#[test]
fn what_is_thrown_is_told() {
    let told = run(&["throw new Error('no')"]).unwrap_err();
    assert!(told.starts_with("Error: no") && told.contains(":1:7"), "what and where: {told}");
    assert!(run(&["let = ;"]).unwrap_err().starts_with("SyntaxError"));
    assert!(run(&["require('fs')"]).unwrap_err().starts_with("ReferenceError"));
    let told = run(&["function f() { f() } f()"]).unwrap_err();
    assert!(told.contains("maximum number of recursive calls"), "{told}");
}
