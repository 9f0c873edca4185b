//! The ways in which a guest takes its arguments.

use holm_guards::json::Json;
use holm_sandbox::GuestCall;

use crate::help::CallPlan;

/// How a model's arguments are passed to the guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallingConvention {
    /// As words of a command line, by the plan from its help text.
    Words(CallPlan),
    /// As JSON on standard input: commands that describe themselves in a section.
    Input,
    /// As the one text of `holm:tool/call`.
    Text,
}

impl CallingConvention {
    /// Puts the arguments into a call. `arguments` is canonical JSON that the schema accepts.
    pub(super) fn give(&self, call: GuestCall, program: &str, arguments: &str) -> Result<GuestCall, String> {
        match self {
            Self::Words(plan) => {
                let parsed = Json::parse(arguments).map_err(|error| error.to_string())?;
                let words = plan.argv(&parsed).map_err(|error| error.to_string())?;
                Ok(call.arg(program).args(words))
            }
            Self::Input => Ok(call.arg(program).stdin(arguments.to_owned())),
            Self::Text => Ok(call.input(arguments)),
        }
    }
}
