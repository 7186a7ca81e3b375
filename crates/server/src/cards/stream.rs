//! How far a run is, as server-sent events: `progress` as often as it changes, then `end`.

use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::sse::{Event as Sse, KeepAlive};
use axum::response::{IntoResponse, Response, Sse as SseBody};
use serde_json::json;
use tokio::sync::{mpsc, watch};

use super::workers::News;
use crate::app::App;
use crate::door::Owner;
use crate::fault::Answer;
use crate::stream::Frames;

/// A reader that is slow misses steps of the way, never the end.
const SENT_AHEAD: usize = 4;

pub(crate) async fn stream(
    State(app): State<App>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Answer<Response> {
    let run = super::run(&super::library(&app, &owner), &id).await?;
    let seat = app.seats.take(&owner.0)?;
    let news = app.workers.news(&run);
    let (sender, receiver) = mpsc::channel(SENT_AHEAD);
    tokio::spawn(async move {
        // An error means that the reader has gone.
        drop(tell(news, &sender).await);
        drop(seat);
    });
    let keep = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(SseBody::new(Frames(receiver)).keep_alive(keep).into_response())
}

async fn tell(
    news: Option<watch::Receiver<News>>,
    sender: &mpsc::Sender<Sse>,
) -> Result<(), mpsc::error::SendError<Sse>> {
    let mut fault = None;
    if let Some(mut news) = news {
        loop {
            let newest = news.borrow_and_update().clone();
            match newest {
                News::Begun => {}
                News::Progress(progress) => {
                    let event = Sse::default().event("progress").data(progress.to_string());
                    sender.send(event).await?;
                }
                News::Failed(why) => fault = Some(why),
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() { break },
                () = sender.closed() => return Ok(()),
            }
        }
    }
    let data = json!({ "fault": fault }).to_string();
    sender.send(Sse::default().event("end").data(data)).await
}
