//! Goes on with turns whose server died or froze, wherever that server was.
//!
//! The lease of a turn is renewed every second. Every server looks at all leases every second, and
//! goes on with a turn whose lease was not renewed for its whole duration. Of several that notice
//! it, one gets the lease.

use std::collections::BTreeSet;
use std::time::Duration;

use conversation::{AbandonedLease, ConversationFault};
use policy::ConversationId;

use crate::conversations::stop_requests;
use crate::fault::HandlerResult;
use crate::state::AppState;

const PAUSE: Duration = Duration::from_millis(500);

/// Takes over abandoned turns, until it is dropped.
pub(crate) async fn watch(app: &AppState) -> std::convert::Infallible {
    // Turns that could not be taken over yet; their leases expire in the meantime.
    let mut left: BTreeSet<ConversationId> = BTreeSet::new();
    loop {
        tokio::time::sleep(PAUSE).await;
        match app.conversations.abandoned_leases().await {
            Ok(abandoned) => {
                left.extend(
                    abandoned.into_iter().map(|AbandonedLease { conversation }| conversation),
                );
            }
            Err(fault) => {
                tracing::debug!(%fault, "cannot look for abandoned turns");
                continue;
            }
        }
        for id in std::mem::take(&mut left) {
            if let Err(fault) = go_on(app, &id).await {
                tracing::debug!(?fault, "cannot take a turn over yet");
                left.insert(id);
            }
        }
    }
}

async fn go_on(app: &AppState, id: &ConversationId) -> HandlerResult<()> {
    if app.turns.is_running(id) {
        return Ok(());
    }
    let conversation = match app.conversations.get(id).await {
        Err(ConversationFault::NotFound(_)) => return Ok(()),
        read => read?,
    };
    let owner = conversation.opened.as_ref().map(|opened| opened.client.clone());
    let (Some(owner), Some(turn)) = (owner, conversation.open_turn()) else { return Ok(()) };
    // Conversations of other programs, such as a terminal, are theirs.
    if !app.index.has(&owner, id).await? {
        return Ok(());
    }
    if stop_requests::is_asked(app, id, turn.number).await? {
        if app.conversations.stop(id).await? {
            app.index.mark_closed(&owner, id).await?;
        }
        return Ok(());
    }
    tracing::info!(conversation = %id.0, "goes on with a turn whose server is gone");
    app.turns.resume(app, &owner, id).await
}
