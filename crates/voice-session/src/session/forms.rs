//! Forms of a running session: begun by a person, shown, answered by hand here or elsewhere.
//!
//! Must hold: a handler's question is answered once, and the store decides by whom; a tool's form
//! is sent once, and the session decides. Whoever comes second is told so.

use contract::{CallId, HandlerAnswer};
use conversation::QuestionChanges;
use engine::QuestionFault;
use voice::{FormContent, Input, OpenQuestion, Submission};

use super::Running;
use super::parts::ToClient;

const TOO_LATE: &str = "This was already answered. The first answer counts.";
const ANOTHER: &str = "Another question is open. Answer it first, then begin the form.";

/// Returns when a question of the conversation was asked or answered. Without a feed, never.
pub(super) async fn changed(changes: &mut Option<QuestionChanges>) {
    if let Some(feed) = changes {
        match feed.next().await {
            Ok(()) => return,
            Err(fault) => {
                tracing::error!(%fault, "answers from elsewhere are not noticed any more");
                *changes = None;
            }
        }
    }
    std::future::pending().await
}

impl Running {
    /// The client shows the form that is open, with what was answered so far.
    pub(super) async fn show_form(&mut self) {
        let form = self.driver.state().form();
        if form == self.form {
            return;
        }
        let before = std::mem::replace(&mut self.form, form.clone());
        let number = form.as_ref().map(|form| form.number);
        if let Some(before) = before.filter(|before| Some(before.number) != number) {
            self.send(ToClient::FormDone(before.number)).await;
        }
        if let Some(form) = form {
            self.send(ToClient::Form(Box::new(form))).await;
        }
    }

    pub(super) async fn form_wanted(&mut self, tool: String) {
        if self.driver.state().is_asking() {
            return self.send(ToClient::Notice(ANOTHER.to_owned())).await;
        }
        match self.log.form(&tool).await {
            Ok((feature, calls)) => self.input(Input::FormWanted { tool, feature, calls }).await,
            Err(why) => self.trouble(format!("the form cannot be opened: {why}")).await,
        }
    }

    /// A person's answer by hand: the store decides whether it was the first.
    pub(super) async fn form_answer(&mut self, number: u32, answer: HandlerAnswer) {
        let open = self.driver.state().form().filter(|form| form.number == number);
        match open.map(|form| form.content) {
            Some(FormContent::Question { call, name, .. }) => {
                self.question_answer(call, name, answer).await;
            }
            Some(FormContent::Feature { .. }) => {
                self.input(Input::FormClosed { form: number }).await;
            }
            None => self.send(ToClient::Notice(TOO_LATE.to_owned())).await,
        }
    }

    async fn question_answer(&mut self, call: CallId, name: String, answer: HandlerAnswer) {
        match self.log.answer_form(&call, &name, answer).await {
            Ok(()) => self.input(Input::QuestionAnswered { call, name }).await,
            Err(fault) => {
                self.answer_lost(&fault).await;
                self.questions_changed().await;
            }
        }
    }

    pub(super) async fn form_send(&mut self, form: u32, submission: Submission) {
        let is_open = self.driver.state().form().is_some_and(|open| open.number == form);
        match is_open {
            true => self.input(Input::FormSubmitted { form, submission }).await,
            false => self.send(ToClient::Notice(TOO_LATE.to_owned())).await,
        }
    }

    /// An answer that came second is nothing to worry about; one that does not fit is.
    pub(super) async fn answer_lost(&mut self, fault: &QuestionFault) {
        match fault {
            QuestionFault::NotAsked | QuestionFault::AlreadyAnswered => {
                self.send(ToClient::Notice(TOO_LATE.to_owned())).await;
                self.input(Input::Noted { text: format!("an answer came late: {fault}") }).await;
            }
            QuestionFault::Unfit { .. } | QuestionFault::Store(_) => {
                self.trouble(format!("the answer does not count: {fault}")).await;
            }
        }
    }

    /// Looks whether somebody has answered what the session asks.
    pub(super) async fn questions_changed(&mut self) {
        for OpenQuestion { call, name, .. } in self.driver.state().open_questions() {
            if !self.log.is_asked(&call, &name).await {
                self.input(Input::QuestionAnswered { call, name }).await;
            }
        }
    }
}
