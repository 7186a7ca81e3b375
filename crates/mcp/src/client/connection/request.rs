//! One call on an open connection: send it, report progress, answer its questions, cancel it when
//! dropped.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam,
    ClientRequest, RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};

use super::elicitation::answers;
use super::error_text::request_error;
use super::fault::ConnectionFault;
use super::{Connection, OnProgress, OpenConnection};
use crate::client::oauth::refusal_of;
use crate::client::sanitize::sanitize;

/// How often a server may answer one call with questions.
const ROUNDS_MAX: usize = 8;
/// The pause before an unfinished call without questions is retried.
const ROUND_PAUSE: Duration = Duration::from_millis(250);

impl Connection {
    /// Calls a tool, and calls it again with answers as long as the server asks questions.
    pub(super) async fn request(
        &self,
        live: &OpenConnection,
        mut params: CallToolRequestParams,
        on_progress: &OnProgress,
    ) -> Result<CallToolResult, ConnectionFault> {
        for _ in 0..ROUNDS_MAX {
            let result = self.round(live, params.clone(), on_progress).await?;
            if let ServerResult::CallToolResult(result) = result {
                return Ok(result);
            }
            if let ServerResult::CreateTaskResult(_) = result {
                return Err(ConnectionFault::Unsupported("an asynchronous task"));
            }
            let ServerResult::InputRequiredResult(unfinished) = result else {
                return Err(ConnectionFault::Refused(
                    "the server sent an unexpected answer".to_owned(),
                ));
            };
            let asked = unfinished.input_requests.unwrap_or_default();
            if asked.is_empty() {
                tokio::time::sleep(ROUND_PAUSE).await;
            }
            let answers = answers(self.config.elicitation, &asked);
            let answers = answers.ok_or(ConnectionFault::Unsupported("our model or our files"))?;
            params.input_responses = (!answers.is_empty()).then_some(answers);
            params.request_state = unfinished.request_state;
        }
        Err(ConnectionFault::Unsupported("too many rounds of answers"))
    }

    async fn round(
        &self,
        live: &OpenConnection,
        params: CallToolRequestParams,
        on_progress: &OnProgress,
    ) -> Result<ServerResult, ConnectionFault> {
        let limits = self.config.limits;
        let options = PeerRequestOptions::with_timeout(limits.idle)
            .reset_timeout_on_progress()
            .with_max_total_timeout(limits.total);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = live.peer.send_cancellable_request(request, options).await;
        let handle = sent.map_err(|fault| self.fault(live, &fault))?;
        let mut listening = live.handler.listen(handle.progress_token.clone());
        let mut abandoned = Abandoned { peer: live.peer.clone(), id: Some(handle.id.clone()) };
        let response = handle.await_response();
        tokio::pin!(response);
        let answered = loop {
            tokio::select! {
                answered = &mut response => break answered,
                Some(report) = listening.events.recv() => on_progress(report).await,
            }
        };
        abandoned.id = None;
        while let Ok(report) = listening.events.try_recv() {
            on_progress(report).await;
        }
        answered.map_err(|fault| self.fault(live, &fault))
    }

    fn fault(&self, live: &OpenConnection, fault: &ServiceError) -> ConnectionFault {
        if let Some(refusal) = refusal_of(fault) {
            return refusal.fault(&self.config);
        }
        if let ServiceError::McpError(error) = fault {
            return ConnectionFault::Refused(sanitize(&error.message, 2_000));
        }
        if let ServiceError::Timeout { timeout } = fault {
            return ConnectionFault::TimedOut(*timeout);
        }
        let mut connection = live.connection();
        if connection.was_too_long() {
            return ConnectionFault::TooLong(self.config.limits.result_bytes_max);
        }
        ConnectionFault::Lost(match connection.last_words() {
            Some(words) => format!("{}; the server {words}", request_error(fault)),
            None => request_error(fault),
        })
    }
}

/// Cancels an abandoned request at the server.
struct Abandoned {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        tokio::spawn(async move {
            let reason = "the request was abandoned".to_owned();
            let notice = CancelledNotificationParam::new(Some(id), Some(reason));
            // The server may be gone.
            let _ = peer.notify_cancelled(notice).await;
        });
    }
}
