//! What an incomplete answer says about the model and about the size of the request.

use contract::FaultKind;
use emit::AnswerFault;

/// Does the answer fit the schema but for its list, which is empty?
pub(super) fn is_empty_list(why: &AnswerFault) -> bool {
    match why {
        AnswerFault::Unfit { complaints } => {
            let empty = |complaint: &dialect::Complaint| complaint.keyword == "minItems";
            !complaints.is_empty() && complaints.iter().all(empty)
        }
        AnswerFault::OutputLimit { .. }
        | AnswerFault::ContextExceeded
        | AnswerFault::Refused { .. }
        | AnswerFault::Paused { .. }
        | AnswerFault::Missing
        | AnswerFault::Requests { .. }
        | AnswerFault::Model(_) => false,
    }
}

/// Did the model answer in another form than it was asked for?
pub(super) fn is_wrong_form(why: &AnswerFault) -> bool {
    match why {
        AnswerFault::Unfit { .. } | AnswerFault::Missing | AnswerFault::Requests { .. } => true,
        AnswerFault::OutputLimit { .. }
        | AnswerFault::ContextExceeded
        | AnswerFault::Refused { .. }
        | AnswerFault::Paused { .. }
        | AnswerFault::Model(_) => false,
    }
}

/// Can a smaller request succeed, or is the model as a whole the problem?
pub(super) fn can_be_smaller(why: &AnswerFault) -> bool {
    match why {
        AnswerFault::OutputLimit { .. }
        | AnswerFault::ContextExceeded
        | AnswerFault::Refused { .. }
        | AnswerFault::Paused { .. }
        | AnswerFault::Unfit { .. }
        | AnswerFault::Missing
        | AnswerFault::Requests { .. } => true,
        AnswerFault::Model(fault) => match fault.kind {
            FaultKind::TooLarge | FaultKind::ContextExceeded => true,
            FaultKind::NoKey
            | FaultKind::WrongKey
            | FaultKind::UnknownModel
            | FaultKind::Unreachable
            | FaultKind::BadRequest
            | FaultKind::RateLimited
            | FaultKind::SpendCap
            | FaultKind::Overloaded
            | FaultKind::Truncated
            | FaultKind::Garbled
            | FaultKind::TimedOut => false,
        },
    }
}
