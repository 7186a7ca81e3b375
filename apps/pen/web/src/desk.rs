//! The drafts that this server works on: each once, and a limited number at the same time.
//!
//! Must hold: a client that watches a draft learns of the end of its work, also if it failed; at
//! shutdown drafts stay as they are, and any program can continue them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::{Model, Secret};
use engine::Engine;
use pen::Lang;
use pen::session::{DraftOptions, new_id};
use pen::tools::Pen;
use server::Fault;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::page_view::{PageView, SeatState};
use crate::seat::{Begun, Opening, Order, Place};
use crate::{HandlerResult, PenLimits};

/// Seats that are remembered, with what their last work has shown.
const SEATS_MAX: usize = 64;

/// What every seat works with.
pub(crate) struct Tools {
    pub pen: Pen,
    pub engine: Engine,
    pub model: Option<Arc<dyn Model>>,
    pub secrets: Vec<Secret>,
}

pub(crate) struct Desk {
    tools: Arc<Tools>,
    at_once_max: usize,
    /// Never held across an await.
    seats: Mutex<BTreeMap<String, Seat>>,
}

struct Seat {
    page: Arc<PageView>,
    news: watch::Receiver<SeatState>,
    orders: mpsc::Sender<Order>,
    task: Option<JoinHandle<()>>,
}

impl Seat {
    fn is_busy(&self) -> bool {
        // A session that broke down is not at work any more.
        self.news.borrow().busy && self.task.as_ref().is_some_and(|task| !task.is_finished())
    }
}

/// Whoever watches a session hears of its end, also if it broke down.
struct EndsWithTask(Arc<PageView>);

impl Drop for EndsWithTask {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

impl Desk {
    pub(crate) fn new(
        pen: Pen,
        engine: Engine,
        model: Option<Arc<dyn Model>>,
        secrets: Vec<Secret>,
        limits: PenLimits,
    ) -> Self {
        let tools = Arc::new(Tools { pen, engine, model, secrets });
        Self { tools, at_once_max: limits.drafts_at_once_max, seats: Mutex::default() }
    }

    pub(crate) fn model(&self) -> Option<&Arc<dyn Model>> {
        self.tools.model.as_ref()
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.tools.engine
    }

    pub(crate) fn secrets(&self) -> Vec<Secret> {
        self.tools.secrets.clone()
    }

    pub(crate) fn news(&self, id: &str) -> Option<watch::Receiver<SeatState>> {
        self.seats().get(id).map(|seat| seat.news.clone())
    }

    /// The state of the work on a draft; idle if nobody has worked on it here.
    pub(crate) fn state(&self, id: &str) -> SeatState {
        self.news(id).map(|news| news.borrow().clone()).unwrap_or_default()
    }

    /// Stops the work on a draft; false if there is none.
    pub(crate) fn stop(&self, id: &str) -> bool {
        let seats = self.seats();
        let busy = seats.get(id).filter(|seat| seat.is_busy());
        busy.inspect(|seat| seat.page.stop()).is_some()
    }

    /// Begins a draft; returns its id when it has begun.
    pub(crate) async fn begin(
        &self,
        options: DraftOptions,
        lang: Lang,
        write: bool,
    ) -> HandlerResult<String> {
        let id = new_id(self.tools.engine.now().0);
        let (begun, hears) = oneshot::channel::<Begun>();
        let options = Box::new(options);
        {
            let mut seats = self.seats();
            self.has_room(&seats)?;
            self.seat(&mut seats, &id, Opening::New { options, lang, write, begun });
        }
        match hears.await {
            Ok(Ok(())) => Ok(id),
            Ok(Err(told)) => {
                self.seats().remove(&id);
                Err(told.into())
            }
            Err(_) => Err(Fault::ours(&"a draft could not begin").into()),
        }
    }

    /// Gives a draft something to do.
    pub(crate) fn order(&self, id: &str, order: Order) -> HandlerResult<()> {
        let mut seats = self.seats();
        if seats.get(id).is_some_and(Seat::is_busy) {
            return Err(busy().into());
        }
        self.has_room(&seats)?;
        let order = match seats.get(id) {
            Some(seat) => match seat.orders.try_reserve() {
                Ok(free) => {
                    seat.page.begin();
                    free.send(order);
                    return Ok(());
                }
                Err(_) => order,
            },
            None => order,
        };
        self.seat(&mut seats, id, Opening::Stored(order));
        Ok(())
    }

    /// Refuses a draft that is being worked on.
    pub(crate) fn check_idle(&self, id: &str) -> HandlerResult<()> {
        match self.seats().get(id).is_some_and(Seat::is_busy) {
            true => Err(busy().into()),
            false => Ok(()),
        }
    }

    fn has_room(&self, seats: &BTreeMap<String, Seat>) -> HandlerResult<()> {
        match seats.values().filter(|seat| seat.is_busy()).count() < self.at_once_max {
            true => Ok(()),
            false => Err(Fault::too_many("too many drafts are being written").into()),
        }
    }

    /// A new seat; one that rests makes room for it.
    fn seat(&self, seats: &mut BTreeMap<String, Seat>, id: &str, opening: Opening) {
        let (page, news) = PageView::new();
        let (orders, receiver) = mpsc::channel(1);
        let tools = Arc::clone(&self.tools);
        let place = Place { id: id.to_owned(), tools, page: Arc::clone(&page), orders: receiver };
        let runtime = Handle::current();
        // A session reads and locks files between its awaits, so it has a thread of its own.
        let ends = EndsWithTask(Arc::clone(&page));
        let task = tokio::task::spawn_blocking(move || {
            runtime.block_on(place.sit(opening));
            drop(ends);
        });
        if seats.len() >= SEATS_MAX {
            let resting = seats.iter().find(|(_, seat)| !seat.is_busy());
            if let Some(id) = resting.map(|(id, _)| id.clone()) {
                seats.remove(&id);
            }
        }
        seats.insert(id.to_owned(), Seat { page, news, orders, task: Some(task) });
    }

    /// Stops all work and waits until it has ended, within the time limit.
    pub(crate) async fn shut_down(&self, time_max: Duration) {
        let seats = std::mem::take(&mut *self.seats());
        let mut tasks = Vec::new();
        for (_, mut seat) in seats {
            seat.page.stop();
            tasks.extend(seat.task.take());
        }
        let all = async {
            for task in tasks {
                drop(task.await);
            }
        };
        if tokio::time::timeout(time_max, all).await.is_err() {
            tracing::warn!("drafts are still written at shutdown; they can be continued later");
        }
    }

    fn seats(&self) -> MutexGuard<'_, BTreeMap<String, Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn busy() -> Fault {
    Fault::conflict("this draft is being worked on", "wait for it or stop it")
}
