//! Faults of Ghostpen as refusals of the API.

use axum::response::{IntoResponse, Response};
use pen::WorkspaceFault;
use pen::session::{SessionFault, StoredDraftFault, TurnFault};
use pen::{Lang, profile::BadProfileName};
use serde::Serialize;
use server::Fault;

/// A refusal, from a handler or from the crate `pen`.
#[derive(Debug)]
pub(crate) struct Refusal(Fault);

pub(crate) type HandlerResult<T> = Result<T, Refusal>;

/// A fault in the author's language: what is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Told {
    pub what: String,
    pub fix: String,
}

impl Told {
    pub(crate) fn of_session(fault: &SessionFault, lang: Lang) -> Self {
        let (what, fix) = fault.words(lang);
        Self { what, fix }
    }

    /// A fault of a turn; the log has the cause of one that the author cannot mend.
    pub(crate) fn of_turn(fault: TurnFault) -> Self {
        match fault {
            TurnFault::Told { what, fix } => Self { what, fix },
            TurnFault::Conversation(fault) => {
                tracing::warn!(%fault, "a turn of a draft failed");
                Self { what: fault.to_string(), fix: "try again".to_owned() }
            }
            TurnFault::Approval(fault) => {
                tracing::warn!(%fault, "an approval of a draft failed");
                Self { what: fault.to_string(), fix: "try again".to_owned() }
            }
            TurnFault::Draft(fault) => {
                tracing::error!(%fault, "a draft could not be stored");
                Self { what: fault.to_string(), fix: "see the server's log".to_owned() }
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self(fault)
    }
}

impl From<Told> for Refusal {
    fn from(Told { what, fix }: Told) -> Self {
        Self(Fault::bad_request(what, fix))
    }
}

impl From<StoredDraftFault> for Refusal {
    fn from(fault: StoredDraftFault) -> Self {
        Self(match fault {
            StoredDraftFault::Name(_) => Fault::not_found("there is no such draft"),
            StoredDraftFault::Unwritten(fault) | StoredDraftFault::Unread(fault) => fault.into(),
            StoredDraftFault::Json(_) => Fault::ours(&fault),
        })
    }
}

/// A profile that cannot be used, in the author's language.
pub(crate) fn no_profile(fault: &WorkspaceFault, lang: Lang) -> Refusal {
    let what = fault.text(lang);
    Refusal(match fault {
        WorkspaceFault::NotFound { .. } => Fault::not_found(what),
        WorkspaceFault::Exists(_) => Fault::conflict(what, fault.fix(lang)),
        WorkspaceFault::Broken { .. }
        | WorkspaceFault::OtherName { .. }
        | WorkspaceFault::Refused(_)
        | WorkspaceFault::Disk { .. } => Fault::bad_request(what, fault.fix(lang)),
    })
}

pub(crate) fn bad_name(bad: &BadProfileName, lang: Lang) -> Refusal {
    Refusal(Fault::not_found(bad.text(lang)))
}

/// A fault of a session outside of one.
pub(crate) fn no_session(fault: &SessionFault, lang: Lang) -> Refusal {
    match fault {
        SessionFault::Profile(fault) => no_profile(fault, lang),
        SessionFault::BadName(bad) => bad_name(bad, lang),
        SessionFault::Mix(_) | SessionFault::Message { .. } => Told::of_session(fault, lang).into(),
    }
}
