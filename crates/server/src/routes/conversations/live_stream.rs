//! The live stream of a conversation, as server-sent events.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use conversation::{Conversation, ConversationFault};
use policy::ConversationId;
use serde::Deserialize;
use serde_json::json;
use store::StoreFault;

use crate::auth::middleware::Owner;
use crate::conversations::temporary;
use crate::fault::{Fault, HandlerResult};
use crate::render::render_pool::NotRendered;
use crate::state::AppState;
use crate::stream::agui_events::AguiEvents;
use crate::stream::broadcast::{Broadcast, Read};
use crate::stream::event::{Event, Frame, Position};
use crate::stream::side_events::SideEventReader;
use crate::stream::sse::{self, SseSender};

#[derive(Deserialize)]
pub(crate) struct StreamQuery {
    /// Where to begin: `last` of the conversation.
    after: Option<String>,
}

pub(crate) async fn stream(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Query(StreamQuery { after }): Query<StreamQuery>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let line = app.index.line(&owner, &id).await?;
    temporary::move_here(&app, &owner, &line).await?;
    let id = ConversationId(line.id);
    let permit = app.streams.acquire(&owner)?;
    let reader = app.temporary.enter(&id);
    let channel = app.turns.channel(&id).await?;
    let header = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let place = match header.map(str::to_owned).or(after) {
        Some(text) => text.parse().map_err(|_| {
            Fault::bad_request("invalid position in the stream", "use `last` of the conversation")
        })?,
        None => channel.last(),
    };
    let side_events = SideEventReader::open(&app, &owner, &id).await?;
    let (to, response) = sse::open();
    let reading = Reading { app, id, channel, place, to };
    tokio::spawn(async move {
        if let Err(fault) = reading.run(side_events).await {
            tracing::debug!(%fault, "a stream ended");
        }
        drop((permit, reader));
    });
    Ok(response)
}

/// One connection, at its own pace.
struct Reading {
    app: AppState,
    id: ConversationId,
    channel: Arc<Broadcast>,
    place: Position,
    to: SseSender,
}

/// The client has disconnected, or the conversation was deleted.
#[derive(Debug, thiserror::Error)]
enum StreamFault {
    #[error(transparent)]
    Reader(#[from] sse::Disconnected),
    #[error(transparent)]
    Talk(#[from] ConversationFault),
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error(transparent)]
    Rendered(#[from] NotRendered),
}

impl Reading {
    async fn run(mut self, mut side_events: SideEventReader) -> Result<(), StreamFault> {
        let mut growth = self.channel.growth();
        loop {
            match self.channel.read(self.place) {
                Read::Frames(frames) if frames.is_empty() => {
                    tokio::select! {
                        grown = growth.changed() => if grown.is_err() { return Ok(()) },
                        () = self.to.closed() => return Ok(()),
                        event = side_events.next() => self.to.send(event?).await?,
                    }
                }
                Read::Frames(frames) => {
                    for frame in &frames {
                        self.send(frame).await?;
                    }
                }
                Read::Behind(oldest) => self.catch_up(oldest).await?,
                Read::Over => return Ok(()),
            }
        }
    }

    /// Sends what is no longer buffered from the log, as far as the log has it.
    async fn catch_up(&mut self, oldest: Position) -> Result<(), StreamFault> {
        if self.place.live > 0 || oldest.live > 0 {
            let reload = Event::custom("reload", json!({}));
            return self.send(&Frame::new(oldest, &reload)).await;
        }
        let records = self.app.conversations.log(&self.id).await?.records;
        let (known, new) = records
            .split_at(records.partition_point(|record| record.sequence <= self.place.sequence));
        let known = Conversation::read(known.iter().map(|record| &record.event));
        let mut agui = AguiEvents::new(&self.id.0, Arc::new(known));
        let new: Vec<_> =
            new.iter().filter(|record| record.sequence <= oldest.sequence).cloned().collect();
        drop(records);
        let mut place = self.place;
        for record in new {
            let sequence = record.sequence;
            let rendered = self.app.render_pool.run(move || {
                let events = agui.event(&record.event);
                (agui, events)
            });
            let events;
            (agui, events) = rendered.await?;
            let count = events.len();
            for (at, event) in events.iter().enumerate() {
                let is_last = at + 1 == count;
                place = if is_last { Position::at(sequence) } else { place.next_live(0) };
                self.send(&Frame::new(place, event)).await?;
            }
            place = Position::at(sequence);
        }
        self.place = oldest;
        Ok(())
    }

    async fn send(&mut self, frame: &Frame) -> Result<(), StreamFault> {
        self.to.send(frame.wire()).await?;
        self.place = frame.place;
        Ok(())
    }
}
