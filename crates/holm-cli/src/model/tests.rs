use super::*;

fn trouble(name: &str) -> CommandError {
    match choose(Some(name), None, &ProviderAccess::default(), |_| None) {
        Err(trouble) => trouble,
        Ok(chosen) => panic!("{} was chosen", chosen.card.name),
    }
}

#[test]
fn without_a_choice_a_script_answers_and_is_announced() {
    let chosen = choose(None, None, &ProviderAccess::default(), |_| None).unwrap();
    assert_eq!(chosen.card.name, DEMO);
    assert!(chosen.note.unwrap().contains("a scripted stand-in answers"));
    let named = choose(Some(DEMO), None, &ProviderAccess::default(), |_| None).unwrap();
    assert_eq!((named.card.name.as_str(), named.note), (DEMO, None));
}

#[test]
fn writing_to_a_cache_that_lasts_an_hour_costs_twice_the_input_at_anthropic_alone() {
    let written = |model: &str, cache: CacheLifetime| {
        let reach = ProviderAccess::default()
            .with_key("anthropic", "k".to_owned().into())
            .with_key("openai", "k".to_owned().into())
            .by(ModelOptions { cache, ..ModelOptions::default() });
        let card = choose(Some(model), None, &reach, |_| None).unwrap().card;
        let price = card.price.unwrap();
        let kept = CacheLifetime::of(&[card]);
        assert_eq!(
            kept.is_hour_at("anthropic"),
            cache.is_hour_at("anthropic") && model.starts_with("anthropic")
        );
        (price.input, price.cache_write)
    };
    let claude = "anthropic/claude-sonnet-4-5";
    let (input, short) = written(claude, CacheLifetime::Short);
    assert_eq!(written(claude, CacheLifetime::Hour), (input, Some(2 * input)));
    assert!(short.unwrap() < 2 * input, "{short:?}");
    assert_eq!(
        written("openai/gpt-5-mini", CacheLifetime::Hour),
        written("openai/gpt-5-mini", CacheLifetime::Short)
    );
}

#[test]
fn a_name_that_leads_nowhere_is_a_mistake_of_the_command() {
    let trouble = trouble("nobody-knows/this");
    assert_eq!(trouble.exit, CommandExit::Usage);
    assert!(trouble.to_string().contains("nobody-knows"), "{trouble}");
}

#[test]
fn a_script_is_read_from_a_file_or_refused_with_an_example() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.json");
    fs::write(&path, r#"{"results":[{"replied":{"blocks":[{"text":"hello"}]}}]}"#).unwrap();
    assert_eq!(
        choose(None, Some(&path), &ProviderAccess::default(), |_| None).unwrap().card.name,
        "scripted/file"
    );
    fs::write(&path, "{").unwrap();
    let Err(trouble) = choose(None, Some(&path), &ProviderAccess::default(), |_| None) else {
        panic!("a broken script was taken")
    };
    assert!(trouble.to_string().contains("a script looks like"), "{trouble}");
    fs::remove_file(&path).unwrap();
    let Err(trouble) = choose(None, Some(&path), &ProviderAccess::default(), |_| None) else {
        panic!("a missing script was taken")
    };
    assert_eq!(trouble.exit, CommandExit::Missing);
}
