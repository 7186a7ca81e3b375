//! `ghosthand cards push`: adds cards to a running Anki, through the add-on AnkiConnect.

use std::time::Duration;

use cards::{AnkiOptions, ContextsMax, PushReport, Recall, RunId, sounds_of};
use clap::Args;
use contract::Secret;
use models::{HttpClient, HttpRequest, Limits};
use serde_json::{Value, json};

use super::export::recalls_of;
use super::settings::key_in;
use super::{CardsContext, failure, speech};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, count};

/// Add the cards of a run to a running Anki, and update those that changed
///
/// Needs the add-on AnkiConnect. A note keeps its id; a field that you changed in Anki stays as
/// it is.
#[derive(Args)]
pub(super) struct PushArgs {
    /// The run [default: the newest]
    run: Option<RunId>,
    /// The address of AnkiConnect [default: the setting cards.anki.url]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// What the notes ask for: the meaning, the word, the word in a gap [default: meaning]
    #[arg(long, value_delimiter = ',', value_name = "WHAT")]
    recall: Vec<Recall>,
    /// With the sound of each word, from the speech server in the settings
    #[arg(long)]
    audio: bool,
    /// Maximum sentences per card
    #[arg(long, default_value_t = 3, value_name = "NUMBER")]
    contexts: usize,
}

const TIME_MAX: Duration = Duration::from_secs(120);
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// The version of AnkiConnect's protocol.
const PROTOCOL: u32 = 6;

impl PushArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let head = ctx.run(self.run.as_ref()).await?;
        let contexts_max = ContextsMax(self.contexts);
        let recalls = recalls_of(&self.recall);
        let mut options = AnkiOptions { contexts_max, recalls, ..AnkiOptions::usual() };
        if self.audio {
            let cards = ctx.library.deck(&head.id, contexts_max).await.map_err(failure)?.cards;
            options.sounds = sounds(ctx, &cards, printer).await?;
        }
        let url = self.url.as_deref().or_else(|| ctx.config.get("cards.anki.url"));
        let anki = AnkiConnect::new(url.unwrap_or_default())?;
        let call = move |action: &'static str, with: Value| {
            let anki = anki.clone();
            Box::pin(async move { anki.call(action, with).await })
                as contract::BoxFuture<'static, Result<Value, String>>
        };
        let report = ctx.library.push(&head.id, &options, &call).await.map_err(failure)?;
        let PushReport { added, updated, unchanged, kept_fields } = report;
        printer.data(format!("{added} added, {updated} updated, {unchanged} unchanged"))?;
        if kept_fields > 0 {
            let fields = count(kept_fields, "field");
            printer.message(format!("{fields} kept as you changed them in Anki"))?;
        }
        Ok(ExitStatus::Success)
    }
}

/// The sounds of the words; those that are missing are told.
pub(super) async fn sounds(
    ctx: &CardsContext,
    cards: &[cards::DeckCard],
    printer: &mut Printer,
) -> Result<cards::Sounds, Failure> {
    let Some(speaker) = speech::speaker(&ctx.config)? else {
        let fix = "set `url` below `[cards.speech]` in ghosthand.toml";
        return Err(Failure::message("no speech server is set up", fix));
    };
    let (sounds, fault) = sounds_of(cards, &speaker).await;
    if let Some(why) = fault {
        printer.message(format!("some words have no sound: {why}"))?;
    }
    Ok(sounds)
}

#[derive(Clone)]
struct AnkiConnect {
    http: HttpClient,
    url: String,
    /// Where AnkiConnect is set up to ask for one.
    key: Option<Secret>,
}

impl AnkiConnect {
    fn new(url: &str) -> Result<Self, Failure> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let what = format!("`{url}` is not the address of AnkiConnect");
            return Err(Failure::message(what, "give one such as `http://127.0.0.1:8765`"));
        }
        let http = HttpClient::new(Limits::usual())
            .map_err(|fault| Failure::message(fault.message, fault.fix))?;
        let key = key_in("ANKICONNECT_API_KEY");
        Ok(Self { http, url: url.to_owned(), key })
    }

    async fn call(&self, action: &str, with: Value) -> Result<Value, String> {
        let mut body = json!({ "action": action, "version": PROTOCOL, "params": with });
        if let Some(key) = &self.key {
            body["key"] = json!(key.expose());
        }
        let body = body.to_string();
        let request = HttpRequest {
            method: "POST",
            url: &self.url,
            headers: &[],
            json: Some(&body),
            time_max: TIME_MAX,
            bytes_max: ANSWER_BYTES_MAX,
        };
        let answer = self.http.exchange(&request).await.map_err(speech::fault)?;
        if answer.status != 200 {
            return Err(format!("AnkiConnect answered {}", answer.status));
        }
        let answer: Value = serde_json::from_slice(&answer.bytes)
            .map_err(|_| "the answer is not that of AnkiConnect".to_owned())?;
        match answer.get("error") {
            Some(Value::Null) | None => Ok(answer.get("result").cloned().unwrap_or_default()),
            Some(error) => Err(error.as_str().unwrap_or("unknown error").to_owned()),
        }
    }
}
