//! Parses a person's answer strictly: anything unexpected is an error.

use serde::Deserialize;
use serde_json::Value;

use super::{InvalidApproval, RequestId};
use crate::display_text::clip;

/// What a person answered to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalAnswer {
    pub request: RequestId,
    pub choice: ApprovalChoice,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ApprovalChoice {
    Approve {
        scope: ApprovalScope,
    },
    Decline {
        reason: Option<String>,
    },
    /// Run it with these arguments instead. They are checked against the contract before
    /// they come here, with defaults filled in, and judged again.
    Edit {
        args: Value,
    },
    /// Do not run the call; use this result instead.
    Instead {
        data: Value,
    },
}

/// Which calls an approval covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalScope {
    ThisCall,
    /// "Always in this conversation": the caller records it in [`crate::StandingAnswers`].
    Conversation,
}

/// Exactly the fields of the payload. Parsed from text, so that a duplicate field is noticed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    request: String,
    answer: String,
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    args: Option<Value>,
    #[serde(default)]
    data: Option<Value>,
}

const PAYLOAD_BYTES_MAX: usize = 1 << 20;
const REASON_CHARS_MAX: usize = 500;

/// Reads a payload: `{"request": "ask:…", "answer": "approve"}`, with `"scope":
/// "conversation"` to remember it; or `decline` with `reason`, `edit` with
/// `args`, `instead` with `data`. Anything else is an error.
pub fn parse_answer(payload: &str) -> Result<ApprovalAnswer, InvalidApproval> {
    let malformed = |because: String| InvalidApproval::Malformed { because };
    if payload.len() > PAYLOAD_BYTES_MAX {
        return Err(malformed(format!("it has more than {PAYLOAD_BYTES_MAX} bytes")));
    }
    let Payload { request, answer, scope, reason, args, data } =
        serde_json::from_str(payload).map_err(|fault| malformed(fault.to_string()))?;
    let choice = match (answer.as_str(), scope.as_deref(), reason, args, data) {
        ("approve", None | Some("call"), None, None, None) => {
            ApprovalChoice::Approve { scope: ApprovalScope::ThisCall }
        }
        ("approve", Some("conversation"), None, None, None) => {
            ApprovalChoice::Approve { scope: ApprovalScope::Conversation }
        }
        ("decline", None, reason, None, None) => {
            ApprovalChoice::Decline { reason: reason.map(|reason| clip(&reason, REASON_CHARS_MAX)) }
        }
        ("edit", None, None, Some(args @ Value::Object(_)), None) => ApprovalChoice::Edit { args },
        ("instead", None, None, None, Some(data)) => ApprovalChoice::Instead { data },
        ("approve" | "decline" | "edit" | "instead", ..) => {
            return Err(malformed(format!("`{answer}` has fields missing or too many")));
        }
        _ => {
            let because = "`answer` is none of `approve`, `decline`, `edit`, `instead`";
            return Err(malformed(because.to_owned()));
        }
    };
    Ok(ApprovalAnswer { request: RequestId(request), choice })
}
