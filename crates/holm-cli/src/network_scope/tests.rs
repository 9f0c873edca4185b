use super::*;

#[test]
fn only_addresses_of_this_machine_are_here() {
    for base in
        ["http://localhost:11434", "http://127.0.0.1:1234/v1", "http://[::1]:8080", "http://127.8.8.8"]
    {
        assert!(is_here(base), "{base}");
    }
    for base in [
        "https://api.openai.com/v1",
        "http://10.0.0.7:11434",
        "http://localhost.example.com",
        "",
        "http://0.0.0.0",
    ] {
        assert!(!is_here(base), "{base}");
    }
}

#[test]
fn a_service_elsewhere_is_out_of_reach() {
    let (near, far) = ("http://localhost:11434", "https://api.anthropic.com");
    assert!(NetworkScope::Anywhere.admits("anthropic/claude-sonnet-4-5", far).is_ok());
    assert!(NetworkScope::ThisMachine.admits("ollama/qwen3", near).is_ok());
    let trouble = NetworkScope::ThisMachine.admits("anthropic/claude-sonnet-4-5", far).unwrap_err();
    assert_eq!(trouble.exit, CommandExit::Usage);
    assert!(trouble.to_string().contains("--offline allows nothing else"), "{trouble}");
}
