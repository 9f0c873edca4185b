//! The figures as Markdown and JSON. A missed aim is shown; scripts/check-overhead holds the figure.

use std::fmt::Write as _;

use crate::request::FirstRequest;

/// The most tokens that Holm's first request is meant to have.
const AIM: usize = 4_000;

/// The first request of one program.
pub struct Figure {
    pub name: &'static str,
    pub request: FirstRequest,
}

/// The whole report.
pub fn markdown(figures: &[Figure], not_measured: &[(&str, String)]) -> String {
    let mut out = String::from(
        "| program | tokens (o200k) | of them tools | system prompt | messages | tools | bytes |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for Figure { name, request } in figures {
        writeln!(
            out,
            "| {name} | {} | {} | {} | {} | {} | {} |",
            request.tokens(),
            request.tool_tokens,
            request.system_tokens,
            request.message_tokens,
            request.tools,
            request.bytes
        )
        .unwrap_or_default();
    }
    out.push('\n');
    for (name, why) in not_measured {
        writeln!(out, "- {name} could not be measured: {why}").unwrap_or_default();
    }
    let holm = figures.iter().find(|figure| figure.name == "holm").map(|figure| figure.request.tokens());
    let found = holm.map_or("not measured".into(), |tokens| {
        format!("{tokens}, {}", if tokens <= AIM { "met" } else { "missed" })
    });
    writeln!(out, "- tokens of the first request (at most {AIM}): {found}").unwrap_or_default();
    out
}

/// The same for a program.
pub fn json(figures: &[Figure]) -> String {
    let figure = |Figure { name, request }: &Figure| {
        format!(
            "{{\"system\":\"{name}\",\"request_tokens\":{},\"tool_tokens\":{},\"prompt_tokens\":{},\"message_tokens\":{},\
             \"request_bytes\":{}}}",
            request.tokens(),
            request.tool_tokens,
            request.system_tokens,
            request.message_tokens,
            request.bytes
        )
    };
    format!("{{\"figures\":[{}]}}\n", figures.iter().map(figure).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(name: &'static str, tool_tokens: usize) -> Figure {
        let request = FirstRequest { bytes: 9, tools: 1, tool_tokens, system_tokens: 10, message_tokens: 1 };
        Figure { name, request }
    }

    #[test]
    fn the_aim_is_met_or_missed_and_a_missing_peer_is_named() {
        assert!(markdown(&[figure("holm", 3_989)], &[]).contains("4000, met"));
        assert!(markdown(&[figure("holm", 3_990)], &[]).contains("4001, missed"));
        let told = markdown(&[], &[("codex", "it is not there".into())]);
        assert!(told.contains("- codex could not be measured: it is not there\n"), "{told}");
        assert!(told.ends_with("not measured\n"), "{told}");
        assert!(json(&[figure("holm", 5)]).contains("\"request_tokens\":16,\"tool_tokens\":5"));
    }
}
