#![expect(missing_docs, reason = "generated")]
wit_bindgen::generate!({
    path: "../../crates/holm-sandbox/wit",
    world: "described-tool",
    pub_export_macro: true,
    default_bindings_module: "guest_kit::text",
});
