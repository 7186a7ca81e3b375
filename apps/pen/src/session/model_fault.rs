//! A fault of the model in the author's language; what the provider said stands in brackets.

use contract::{FaultKind, ModelFault};

use crate::text::language::Lang;

/// What happened, and what to do.
pub fn model_fault(fault: &ModelFault, lang: Lang) -> (String, String) {
    if lang == Lang::En {
        return (fault.message.clone(), fault.fix.clone());
    }
    let (what, fix) = keys(fault.kind);
    (format!("{} ({})", lang.say(what), fault.message), lang.say(fix).to_owned())
}

fn keys(kind: FaultKind) -> (&'static str, &'static str) {
    match kind {
        FaultKind::NoKey => ("model.no_key", "model.no_key_fix"),
        FaultKind::WrongKey => ("model.wrong_key", "model.wrong_key_fix"),
        FaultKind::UnknownModel => ("model.unknown_model", "model.unusable_fix"),
        FaultKind::Unreachable => ("model.unreachable", "model.unreachable_fix"),
        FaultKind::BadRequest => ("model.not_accepted", "model.not_accepted_fix"),
        FaultKind::TooLarge | FaultKind::ContextExceeded => {
            ("model.too_long", "model.too_long_fix")
        }
        FaultKind::RateLimited | FaultKind::Overloaded => ("model.busy", "model.busy_fix"),
        FaultKind::SpendCap => ("model.no_money", "model.no_money_fix"),
        FaultKind::Truncated | FaultKind::Garbled => ("model.broken_answer", "session.try_again"),
        FaultKind::TimedOut => ("model.timed_out", "session.try_again"),
    }
}
