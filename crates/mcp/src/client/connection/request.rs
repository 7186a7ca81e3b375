//! One call down an open line: sent, followed, answered when it asks, cancelled when dropped.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam,
    ClientRequest, RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};

use super::{Line, Live, Say};
use crate::import::clean::clean;
use crate::import::line_fault::LineFault;
use crate::import::oauth::refusal_of;
use crate::import::questions::answers;
use crate::import::unreachable::why_not_answered;

/// How often one call may be answered with a question.
const ROUNDS_MAX: usize = 8;
/// Before an unfinished call that asks nothing is tried again.
const ROUND_PAUSE: Duration = Duration::from_millis(250);

impl Line {
    /// One call; a server that asks something meanwhile is answered, and asked again.
    pub(super) async fn request(
        &self,
        live: &Live,
        mut params: CallToolRequestParams,
        say: &Say,
    ) -> Result<CallToolResult, LineFault> {
        for _ in 0..ROUNDS_MAX {
            let result = self.round(live, params.clone(), say).await?;
            if let ServerResult::CallToolResult(result) = result {
                return Ok(result);
            }
            if let ServerResult::CreateTaskResult(_) = result {
                return Err(LineFault::Unsupported("a task to wait for"));
            }
            let ServerResult::InputRequiredResult(unfinished) = result else {
                return Err(LineFault::Refused("the server answered something else".to_owned()));
            };
            let asked = unfinished.input_requests.unwrap_or_default();
            if asked.is_empty() {
                tokio::time::sleep(ROUND_PAUSE).await;
            }
            let answers = answers(self.neighbour.questions, &asked);
            let answers = answers.ok_or(LineFault::Unsupported("a model or files of ours"))?;
            params.input_responses = (!answers.is_empty()).then_some(answers);
            params.request_state = unfinished.request_state;
        }
        Err(LineFault::Unsupported("one answer after the other"))
    }

    async fn round(
        &self,
        live: &Live,
        params: CallToolRequestParams,
        say: &Say,
    ) -> Result<ServerResult, LineFault> {
        let limits = self.neighbour.limits;
        let options = PeerRequestOptions::with_timeout(limits.idle)
            .reset_timeout_on_progress()
            .with_max_total_timeout(limits.total);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = live.peer.send_cancellable_request(request, options).await;
        let handle = sent.map_err(|fault| self.fault(live, &fault))?;
        let mut listening = live.ear.listen(handle.progress_token.clone());
        let mut abandoned = Abandoned { peer: live.peer.clone(), id: Some(handle.id.clone()) };
        let response = handle.await_response();
        tokio::pin!(response);
        let answered = loop {
            tokio::select! {
                answered = &mut response => break answered,
                Some(said) = listening.events.recv() => say(said).await,
            }
        };
        abandoned.id = None;
        while let Ok(said) = listening.events.try_recv() {
            say(said).await;
        }
        answered.map_err(|fault| self.fault(live, &fault))
    }

    fn fault(&self, live: &Live, fault: &ServiceError) -> LineFault {
        if let Some(refusal) = refusal_of(fault) {
            return refusal.fault(&self.neighbour);
        }
        if let ServiceError::McpError(error) = fault {
            return LineFault::Refused(clean(&error.message, 2_000));
        }
        if let ServiceError::Timeout { timeout } = fault {
            return LineFault::TimedOut(*timeout);
        }
        let mut connection = live.connection();
        if connection.was_too_long() {
            return LineFault::TooLong(self.neighbour.limits.result_bytes_max);
        }
        LineFault::Lost(match connection.last_words() {
            Some(words) => format!("{}; the server {words}", why_not_answered(fault)),
            None => why_not_answered(fault),
        })
    }
}

/// A request that nobody waits for any more is cancelled at the server.
struct Abandoned {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        tokio::spawn(async move {
            let reason = "nobody waits for it any more".to_owned();
            let notice = CancelledNotificationParam::new(Some(id), Some(reason));
            // A server that is gone needs no telling.
            let _ = peer.notify_cancelled(notice).await;
        });
    }
}
