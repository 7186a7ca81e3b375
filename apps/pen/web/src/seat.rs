//! One session at work: takes pieces of work one after the other, and ends when nobody comes back.
//!
//! Must hold: a piece of work begins with the draft as the store has it, also if another program
//! has changed it; a fault loses an answer, never the draft.

use std::sync::Arc;
use std::time::Duration;

use pen::Lang;
use pen::session::{
    ConversationSetup, DraftOptions, DraftStore, EngineConversation, Next, Session,
};
use tokio::sync::{mpsc, oneshot};

use crate::desk::Tools;
use crate::fault::Told;
use crate::page_view::{PageTurns, PageView, SpokenView};

/// A session without work ends after this long.
const IDLE_MAX: Duration = Duration::from_secs(15 * 60);

/// One piece of work.
#[derive(Debug)]
pub(crate) struct Order {
    pub work: Work,
    pub lang: Lang,
}

#[derive(Debug)]
pub(crate) enum Work {
    /// Write the first text.
    Write,
    /// The author typed this text, and says this line of it.
    Say { text: Option<String>, line: String },
    /// The author typed this text.
    Edit { text: String },
}

/// How a seat begins.
pub(crate) enum Opening {
    /// With a new draft; `begun` hears whether it could begin.
    New {
        options: Box<DraftOptions>,
        lang: Lang,
        write: bool,
        begun: oneshot::Sender<Begun>,
    },
    Stored(Order),
}

pub(crate) type Begun = Result<(), Told>;

/// Where a seat sits: the draft, and who hears of it.
pub(crate) struct Place {
    pub id: String,
    pub tools: Arc<Tools>,
    pub page: Arc<PageView>,
    pub orders: mpsc::Receiver<Order>,
}

type PageSession<'a> = Session<'a, EngineConversation<Told>, SpokenView>;

/// Why a session ended while its seat goes on.
enum Stale {
    /// The draft has changed elsewhere, or the author's language has.
    Renew(Order),
    Over,
}

impl Place {
    /// Works until nobody has anything to do.
    pub(crate) async fn sit(mut self, opening: Opening) {
        let mut next = match opening {
            Opening::New { options, lang, write, begun } => {
                self.begin(*options, lang, write, begun).await
            }
            Opening::Stored(order) => Stale::Renew(order),
        };
        while let Stale::Renew(order) = next {
            next = self.resume(order).await;
        }
    }

    fn conversation(&self, lang: Lang) -> EngineConversation<Told> {
        let setup = ConversationSetup {
            engine: self.tools.engine.clone(),
            model: self.tools.model.clone(),
            control: Arc::new(PageTurns(Arc::clone(&self.page))),
            lang,
            to_fault: Told::of_turn,
        };
        EngineConversation::open(setup, self.id.clone())
    }

    async fn begin(
        &mut self,
        options: DraftOptions,
        lang: Lang,
        write: bool,
        begun: oneshot::Sender<Begun>,
    ) -> Stale {
        let mut conversation = self.conversation(lang);
        let mut view = SpokenView { page: Arc::clone(&self.page), lang };
        let pen = self.tools.pen.clone();
        let session = Session::begin(options, (&pen, lang), &mut conversation, &mut view).await;
        let mut session = match session {
            Ok(session) => session,
            Err(told) => {
                self.page.end(Some(told.clone()), false);
                drop(begun.send(Err(told)));
                return Stale::Over;
            }
        };
        let first = write.then_some(Order { work: Work::Write, lang });
        if !write {
            self.page.end(None, false);
        }
        drop(begun.send(Ok(())));
        let end = self.serve(&mut session, lang, first).await;
        conversation.close().await;
        end
    }

    async fn resume(&mut self, order: Order) -> Stale {
        let lang = order.lang;
        let mut conversation = self.conversation(lang);
        let mut view = SpokenView { page: Arc::clone(&self.page), lang };
        let pen = self.tools.pen.clone();
        let secrets = self.tools.secrets.clone();
        let stored = match self.drafts().get(&self.id).await {
            Ok(stored) => stored.unwrap_or_default(),
            Err(fault) => {
                let told = Told::of_turn(pen::session::TurnFault::Draft(fault));
                self.page.end(Some(told), false);
                return Stale::Over;
            }
        };
        let session =
            Session::resume(stored, secrets, (&pen, lang), &mut conversation, &mut view).await;
        let mut session = match session {
            Ok(session) => session,
            Err(told) => {
                self.page.end(Some(told), false);
                return Stale::Over;
            }
        };
        let end = self.serve(&mut session, lang, Some(order)).await;
        conversation.close().await;
        end
    }

    fn drafts(&self) -> DraftStore {
        DraftStore::new(self.tools.engine.shared_store())
    }

    /// Does one order after the other, then finishes the session.
    async fn serve(
        &mut self,
        session: &mut PageSession<'_>,
        lang: Lang,
        mut order: Option<Order>,
    ) -> Stale {
        loop {
            let (now, is_first) = match order.take() {
                Some(order) => (order, true),
                None => match tokio::time::timeout(IDLE_MAX, self.orders.recv()).await {
                    Ok(Some(order)) => (order, false),
                    Ok(None) | Err(_) => {
                        finish(session).await;
                        return Stale::Over;
                    }
                },
            };
            if !is_first && (now.lang != lang || self.is_stale(session).await) {
                finish(session).await;
                return Stale::Renew(now);
            }
            let done = work(session, now.work).await;
            let is_over = matches!(done, Ok(Next::Done(_)));
            let (fault, by_hand) = match done {
                Ok(next) => (None, matches!(next, Next::Editor(_))),
                Err(told) => (Some(told), false),
            };
            if is_over {
                // The log is complete before the page hears of the end.
                finish(session).await;
            }
            self.page.end(fault, by_hand);
            if is_over {
                return Stale::Over;
            }
        }
    }

    /// Has another program changed the draft?
    async fn is_stale(&self, session: &PageSession<'_>) -> bool {
        match self.drafts().get(&self.id).await {
            Ok(stored) => stored.as_ref() != Some(session.draft()),
            Err(_) => true,
        }
    }
}

async fn work(session: &mut PageSession<'_>, work: Work) -> Result<Next, Told> {
    match work {
        Work::Write => session.first().await,
        Work::Edit { text } => session.edited(Some(text)).await,
        Work::Say { text, line } => {
            let is_new = |text: &String| text.trim_end() != session.draft().text();
            if let Some(text) = text.filter(is_new) {
                session.edited(Some(text)).await?;
            }
            session.say(&line).await
        }
    }
}

async fn finish(session: &mut PageSession<'_>) {
    if let Err(told) = session.finish().await {
        tracing::warn!(fault = told.what, "cannot finish the session of a draft");
    }
}
