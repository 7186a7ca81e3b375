//! Approval requests, stored until they are answered, used or expired.
//!
//! A request is stored before anybody is asked, so that a reload, another tab or another
//! process finds it. The answer is added with compare-and-set: the first one counts. Whether it
//! lets the call run is judged when the call is settled again.

use contract::Call;
use policy::{
    ApprovalChoice, ApprovalRequest, ApprovalStatus, CheckedCall, ConversationId, GrantedApproval,
    GuardFault, InvalidApproval, RequestId, duration_text, judge_approval, parse_answer,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, Expected, Expiry, Json, KvEntry, Pages, Revision, StoreFault, Subscription};

use crate::call::origin::CallOrigin;
use crate::engine::Engine;
use crate::store_keys;

/// A request with everything that is needed to continue once it is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRecord {
    pub request: ApprovalRequest,
    pub call: Call,
    #[serde(rename = "room")]
    pub origin: CallOrigin,
    /// The answer as it arrived; parsed again each time.
    pub answer: Option<String>,
    /// A person edited the arguments of `request`, and they need another approval.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
}

/// Why an answer was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalFault {
    #[error("there is no request `{0}`")]
    NoRequest(String),
    #[error("more than one request begins with `{0}`")]
    Ambiguous(String),
    #[error("the request about `{}` expired {ago} ago; nothing has run", .asked.request.tool)]
    Expired { asked: Box<ApprovalRecord>, ago: String },
    #[error("the request about `{}` was withdrawn by another message", .0.request.tool)]
    Withdrawn(Box<ApprovalRecord>),
    #[error("{0}")]
    Void(InvalidApproval),
    #[error("the changed arguments do not fit: {because}")]
    BadArguments { because: String },
    #[error("the request was answered before")]
    AlreadyAnswered,
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("{0}")]
    Unreadable(String),
}

fn unreadable(why: impl std::fmt::Display) -> ApprovalFault {
    ApprovalFault::Unreadable(why.to_string())
}

impl Engine {
    /// Every request that still waits for an answer, oldest first.
    pub async fn open_approvals(&self) -> Result<Vec<ApprovalRecord>, ApprovalFault> {
        let mut open = self.approvals().await?;
        open.retain(|asked| self.waits(asked).is_ok());
        Ok(open)
    }

    /// Every request with an unused answer, oldest first: its call is about to continue, or the
    /// process that should have continued it died.
    pub async fn answered_approvals(&self) -> Result<Vec<ApprovalRecord>, ApprovalFault> {
        let mut answered = self.approvals().await?;
        answered
            .retain(|asked| asked.answer.is_some() && asked.request.status == ApprovalStatus::Open);
        Ok(answered)
    }

    /// Every stored request, oldest first.
    async fn approvals(&self) -> Result<Vec<ApprovalRecord>, ApprovalFault> {
        let prefix = store_keys::approvals().map_err(unreadable)?;
        let mut all: Vec<ApprovalRecord> = Vec::new();
        let mut pages = Pages::of(200);
        while let Some(request) = pages.request() {
            let entries = pages.items(self.store().kv().list(&prefix, request).await?);
            all.extend(entries.iter().filter_map(|entry| entry.value.to().ok()));
        }
        all.sort_by_key(|asked| asked.request.asked_at);
        Ok(all)
    }

    /// Whether it still waits for an answer; the reason if not.
    fn waits(&self, asked: &ApprovalRecord) -> Result<(), ApprovalFault> {
        let now = self.now();
        match asked.request.status {
            ApprovalStatus::Used => Err(ApprovalFault::AlreadyAnswered),
            _ if asked.answer.is_some() => Err(ApprovalFault::AlreadyAnswered),
            ApprovalStatus::Withdrawn => Err(ApprovalFault::Withdrawn(Box::new(asked.clone()))),
            ApprovalStatus::Open if now < asked.request.expires_at => Ok(()),
            ApprovalStatus::Open => {
                let ago = duration_text(now.ms_since(asked.request.expires_at));
                Err(ApprovalFault::Expired { asked: Box::new(asked.clone()), ago })
            }
        }
    }

    /// How long a person still has to answer, in words.
    pub fn time_to_answer(&self, asked: &ApprovalRecord) -> String {
        let left_ms = asked.request.expires_at.ms_since(self.now());
        // Minutes are rounded up.
        duration_text(if left_ms >= 120_000 { left_ms.next_multiple_of(60_000) } else { left_ms })
    }

    /// The request of this id, if it waits for an answer.
    pub async fn open_approval(&self, id: &str) -> Result<ApprovalRecord, ApprovalFault> {
        let found = self.load_asked(&RequestId(id.to_owned())).await?;
        let (asked, _) = found.ok_or_else(|| ApprovalFault::NoRequest(id.to_owned()))?;
        self.waits(&asked).map(|()| asked)
    }

    /// Every change of a request from now on: asked, answered, deleted.
    pub async fn watch_approvals(&self) -> Result<Subscription<Change>, ApprovalFault> {
        let kv = self.store().kv();
        let prefix = store_keys::approvals().map_err(unreadable)?;
        Ok(kv.watch(&prefix, kv.revision().await?).await?)
    }

    /// Accepts a person's answer: the payload names the request. The first answer counts.
    pub async fn answer(&self, payload: &str) -> Result<ApprovalRecord, ApprovalFault> {
        let answer = parse_answer(payload).map_err(ApprovalFault::Void)?;
        let found = self.load_asked(&answer.request).await?;
        let (asked, revision) =
            found.ok_or_else(|| ApprovalFault::NoRequest(answer.request.0.clone()))?;
        self.waits(&asked)?;
        let payload = match answer.choice {
            ApprovalChoice::Edit { args } => self.filled_edit(&asked, args)?,
            ApprovalChoice::Approve { .. }
            | ApprovalChoice::Decline { .. }
            | ApprovalChoice::Instead { .. } => payload.to_owned(),
        };
        let answered = ApprovalRecord { answer: Some(payload), ..asked };
        match self.write_asked(&answered, Expected::Revision(revision)).await {
            Ok(_) => Ok(answered),
            Err(ApprovalFault::Store(StoreFault::Conflict { .. })) => {
                Err(ApprovalFault::AlreadyAnswered)
            }
            Err(other) => Err(other),
        }
    }

    /// Arguments that a person wrote are checked like a model's, and stored as they will run.
    fn filled_edit(&self, asked: &ApprovalRecord, args: Value) -> Result<String, ApprovalFault> {
        let refused = |because: String| ApprovalFault::BadArguments { because };
        let lease = self.registry().lease();
        let tool = lease.get(asked.request.tool.as_str());
        let tool = tool.ok_or_else(|| refused("the tool is gone".to_owned()))?;
        let prepared = self.inner.prepared.of(tool).map_err(|fault| refused(fault.to_string()))?;
        let checked = prepared
            .parameters
            .check(args, self.wiring().unknown_arguments)
            .map_err(|rejection| refused(rejection.to_string()))?;
        let id = &asked.request.id;
        Ok(json!({ "request": id, "answer": "edit", "args": checked.args }).to_string())
    }

    /// Withdraws every open request of the conversation, because the person wrote a message
    /// instead of answering.
    pub async fn withdraw_approvals(&self, origin: &CallOrigin) -> Result<usize, ApprovalFault> {
        let mut withdrawn = 0;
        for asked in self.open_approvals().await? {
            if asked.origin.conversation != origin.conversation {
                continue;
            }
            // An answer may have arrived in the meantime.
            let Some((asked, revision)) = self.load_asked(&asked.request.id).await? else {
                continue;
            };
            if self.waits(&asked).is_err() {
                continue;
            }
            let request = asked.request.clone().withdrawn();
            let asked = ApprovalRecord { request, ..asked };
            match self.write_asked(&asked, Expected::Revision(revision)).await {
                Ok(_) => withdrawn += 1,
                Err(ApprovalFault::Store(StoreFault::Conflict { .. })) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(withdrawn)
    }

    /// Deletes every request of a conversation, answered or not.
    pub(crate) async fn delete_approvals(&self, id: &ConversationId) -> Result<(), ApprovalFault> {
        let prefix = store_keys::approvals().map_err(unreadable)?;
        let mut pages = Pages::of(200);
        while let Some(request) = pages.request() {
            for entry in pages.items(self.store().kv().list(&prefix, request).await?) {
                let Ok(asked) = entry.value.to::<ApprovalRecord>() else { continue };
                if asked.origin.conversation == *id {
                    let index = store_keys::approval_of(id, &asked.call.id).map_err(unreadable)?;
                    self.store().kv().delete(&index, Expected::Any).await?;
                    self.store().kv().delete(&entry.key, Expected::Any).await?;
                }
            }
        }
        Ok(())
    }

    /// A request by the beginning of its id, as a person types it.
    pub async fn find_approval(&self, start: &str) -> Result<ApprovalRecord, ApprovalFault> {
        let fits = |asked: &ApprovalRecord| {
            let id = asked.request.id.0.as_str();
            id.starts_with(start) || id.trim_start_matches("ask:").starts_with(start)
        };
        let mut found: Vec<ApprovalRecord> =
            self.approvals().await?.into_iter().filter(fits).collect();
        let mut open = found.iter().filter(|asked| self.waits(asked).is_ok());
        match (open.next().cloned(), open.next()) {
            (Some(asked), None) => return Ok(asked),
            (Some(_), Some(_)) => return Err(ApprovalFault::Ambiguous(start.to_owned())),
            (None, _) => {}
        }
        // None of them waits: the fault says why the newest does not.
        let asked = found.pop().ok_or_else(|| ApprovalFault::NoRequest(start.to_owned()))?;
        self.waits(&asked).map(|()| asked)
    }

    /// Stores a new request, before anybody is asked.
    pub(crate) async fn store_question(&self, asked: &ApprovalRecord) -> Result<(), ApprovalFault> {
        self.write_asked(asked, Expected::Any).await?;
        let index = store_keys::approval_of(&asked.origin.conversation, &asked.call.id)
            .map_err(unreadable)?;
        let id = Json::of(&asked.request.id).map_err(unreadable)?;
        self.store().kv().set(&index, id, Expected::Any, Expiry::Never).await?;
        Ok(())
    }

    /// The request about this call, if there is one.
    pub(crate) async fn question_about(
        &self,
        origin: &CallOrigin,
        call: &Call,
    ) -> Result<Option<(ApprovalRecord, Revision)>, GuardFault> {
        let fault = |why: String| GuardFault(format!("the approval: {why}"));
        let index = store_keys::approval_of(&origin.conversation, &call.id)
            .map_err(|b| fault(b.to_string()))?;
        let found = self.store().kv().get(&index).await.map_err(|why| fault(why.to_string()))?;
        let Some(KvEntry { value, .. }) = found else { return Ok(None) };
        let id: RequestId = value.to().map_err(|bad| fault(bad.to_string()))?;
        self.load_asked(&id).await.map_err(|why| fault(why.to_string()))
    }

    /// Marks an approval as used. Of several processes that try, one succeeds.
    pub(crate) async fn use_up(
        &self,
        asked: &ApprovalRecord,
        at: Revision,
    ) -> Result<(), ApprovalFault> {
        let used = ApprovalRecord { request: asked.request.clone().used(), ..asked.clone() };
        self.write_asked(&used, Expected::Revision(at)).await.map(|_| ())
    }

    async fn load_asked(
        &self,
        id: &RequestId,
    ) -> Result<Option<(ApprovalRecord, Revision)>, ApprovalFault> {
        let key = store_keys::approval(id).map_err(unreadable)?;
        match self.store().kv().get(&key).await? {
            Some(entry) => {
                let asked = entry.value.to().map_err(unreadable)?;
                Ok(Some((asked, entry.revision)))
            }
            None => Ok(None),
        }
    }

    async fn write_asked(
        &self,
        asked: &ApprovalRecord,
        expected: Expected,
    ) -> Result<Revision, ApprovalFault> {
        let key = store_keys::approval(&asked.request.id).map_err(unreadable)?;
        let json = Json::of(asked).map_err(unreadable)?;
        Ok(self.store().kv().set(&key, json, expected, Expiry::Never).await?)
    }
}

/// Judges the answer to a request for this call, now.
pub(crate) fn judge_record(
    asked: &ApprovalRecord,
    call: &CheckedCall,
    now: policy::Timestamp,
) -> Option<Result<GrantedApproval, InvalidApproval>> {
    let answer = match asked.answer.as_deref().map(parse_answer) {
        Some(Ok(answer)) => Some(answer),
        Some(Err(invalid)) => return Some(Err(invalid)),
        None => None,
    };
    Some(judge_approval(Some(&asked.request), answer.as_ref(), call, now))
}
