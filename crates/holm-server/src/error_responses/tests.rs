use serde_json::Value;

fn document() -> Value {
    serde_json::to_value(crate::document()).unwrap()
}

/// Every operation, by method and path.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
    });
    all.collect()
}

#[test]
fn every_operation_says_what_else_may_be_answered() {
    let document = document();
    let operations = operations(&document);
    assert!(operations.len() > 50, "{}", operations.len());
    for (name, operation) in operations {
        for status in ["401", "403", "421", "429", "500"] {
            let answer = &operation["responses"][status];
            assert!(answer.is_object(), "{name} says nothing of {status}");
        }
        let sends = operation.get("requestBody").is_some();
        assert!(!sends || operation["responses"]["413"].is_object(), "{name}");
    }
    assert!(document["components"]["schemas"]["Problem"].is_object());
}

#[test]
fn what_stands_in_a_path_and_what_stands_behind_it_are_told_apart() {
    let document = document();
    for (name, operation) in operations(&document) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let own = parameter["name"].as_str().unwrap();
            let is_in_path = name.contains(&format!("{{{own}}}"));
            assert_eq!(parameter["in"] == "path", is_in_path, "{name}: {parameter}");
            let is_search = own == "q" || (own == "path" && name.contains("files"));
            let must_be = is_in_path || is_search || name.contains("/api/compare-evaluations");
            assert_eq!(parameter["required"] == true, must_be, "{name}: {parameter}");
        }
    }
}

#[test]
fn no_two_types_have_one_name() {
    let document = document();
    let response = |path: &str, status: &str| {
        let answer = &document["paths"][path]["post"]["responses"][status];
        answer["content"]["application/json"]["schema"]["$ref"].as_str().unwrap().to_owned()
    };
    assert_ne!(response("/hooks/{user}/{job}", "202"), response("/api/sessions/{id}/prompt", "202"));
}
