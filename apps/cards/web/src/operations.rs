//! The operations of the flashcards, and the types of their answers in the OpenAPI document.

use serde_json::{Value, json};
use server::{Empty, Operation, described};

use crate::{
    CardsLimits, CardsState, deck, files, progress_stream, push, read, reviews, runs, speech,
};

/// Every operation, in the order of the document.
pub(crate) fn operations(limits: &CardsLimits) -> Vec<Operation<CardsState>> {
    let cards = card_operations(limits).into_iter().chain(review_operations());
    run_operations(limits).into_iter().chain(cards).collect()
}

fn run_operations(limits: &CardsLimits) -> Vec<Operation<CardsState>> {
    vec![
        Operation::get("/api/cards", runs::list)
            .summary("List the owner's newest runs of flashcards, and the model that makes them")
            .answer::<CardRuns>()
            .query("locale", text()),
        Operation::post("/api/cards", runs::begin)
            .summary("Create a run from a text; the same text is the same run, and no model is asked yet")
            .status(201)
            .body::<runs::CreateRun>(RUN_EXAMPLE)
            .answer::<CardRun>(),
        Operation::post("/api/cards/read/file", read::file)
            .summary("The text of a file: a text in any encoding, .srt, .vtt, .html or .epub")
            .body::<read::FileToRead>(FILE_EXAMPLE)
            .answer::<read::ReadText>()
            .upload(limits.import_bytes_max),
        Operation::post("/api/cards/read/page", read::page)
            .summary("The text of a page on the web, if it is public or the operator allows it")
            .body::<read::PageToRead>(PAGE_EXAMPLE)
            .answer::<read::ReadText>(),
        Operation::get("/api/cards/{run}", runs::show)
            .summary("A run: its progress, problems and cost")
            .answer::<CardRun>()
            .query("locale", text()),
        Operation::delete("/api/cards/{run}", runs::remove)
            .summary("Delete a run with its text and cards")
            .status(204),
        Operation::post("/api/cards/{run}/work", runs::work)
            .summary("Make the cards, or continue; progress arrives over the stream")
            .status(202)
            .body::<runs::WorkRequest>("{}")
            .answer::<Sentences>(),
        Operation::get("/api/cards/{run}/stream", progress_stream::stream)
            .summary("Progress of a run over SSE: `progress`, then `end`"),
        Operation::post("/api/cards/{run}/retry", runs::retry)
            .summary("Retry these sentences, those of a card, or all without cards")
            .status(202)
            .body::<runs::SentenceChoice>(r#"{"sentences":[0]}"#)
            .answer::<Sentences>(),
        Operation::post("/api/cards/{run}/skip", runs::skip)
            .summary("Give up on these sentences, or on all without cards")
            .body::<runs::SentenceChoice>(r#"{"sentences":[0]}"#)
            .answer::<Sentences>(),
        Operation::post("/api/cards/{run}/stop", runs::stop)
            .summary("Stop the work on a run")
            .status(202)
            .body::<Empty>("{}")
            .answer::<RunStopped>(),
    ]
}

fn card_operations(limits: &CardsLimits) -> Vec<Operation<CardsState>> {
    vec![
        Operation::get("/api/cards/{run}/deck", deck::deck)
            .summary("The cards of a run")
            .answer::<Vec<CardShown>>(),
        Operation::get("/api/cards/{run}/sentences", deck::sentences)
            .summary("The text, sentence by sentence, with its words marked")
            .answer::<Vec<SentenceShown>>()
            .query("locale", text()),
        Operation::put("/api/cards/{run}/deck", deck::change)
            .summary("Change a card")
            .status(204)
            .body::<deck::CardEdit>(r#"{"card":"lv:uk:word:suns","translation":"собака"}"#),
        Operation::post("/api/cards/{run}/visible", deck::visible)
            .summary("Show or hide cards everywhere")
            .status(204)
            .body::<deck::CardVisibility>(r#"{"cards":["lv:uk:word:suns"],"visible":false}"#),
        Operation::post("/api/cards/{run}/restore", deck::restore)
            .summary("Restore a card as the model made it")
            .status(204)
            .body::<deck::CardName>(r#"{"card":"lv:uk:word:suns"}"#),
        Operation::post("/api/cards/{run}/undo", deck::undo)
            .summary("Undo the newest change of the cards")
            .body::<Empty>("{}")
            .answer::<Undone>(),
        Operation::get("/api/cards/{run}/export", files::export)
            .summary("Export the cards as a file: `as` json, jsonl, csv, txt or apkg")
            .query("as", export_format())
            .query("locale", text())
            .query("recall", recalls())
            .media_types(EXPORT_MEDIA_TYPES),
        Operation::post("/api/cards/{run}/push", push::push)
            .summary(
                "Add the cards to the Anki that runs beside the server, and update what changed",
            )
            .body::<push::PushWish>("{}")
            .answer::<push::Pushed>(),
        Operation::post("/api/cards/import", files::import)
            .summary("Import cards from a file into a run, or preview the changes")
            .body::<files::CardsFile>(IMPORT_EXAMPLE)
            .answer::<Imported>()
            .upload(limits.import_bytes_max),
        Operation::get("/api/cards/known", deck::known)
            .summary("List the words of a language that the owner knows")
            .answer::<deck::KnownWords>()
            .required_query("language", language_code()),
        Operation::put("/api/cards/known", deck::set_known)
            .summary("Mark words as known or unknown")
            .status(204)
            .body::<deck::KnownWordsChange>(r#"{"language":"lv","learned":["un"]}"#),
    ]
}

fn review_operations() -> Vec<Operation<CardsState>> {
    vec![
        Operation::get("/api/cards/review", reviews::queue)
            .summary("The cards to review now, of one run or of all, with the interval after each rating")
            .answer::<reviews::QueueShown>()
            .query("run", text())
            .query("day", number(9_007_199_254_740_991))
            .query("new", number(1_000))
            .query("recall", recalls())
            .query("order", json!({ "type": "string", "enum": ["text", "frequency"] })),
        Operation::post("/api/cards/review", reviews::record)
            .summary("Record reviews, or undo them; each id counts once, however often it is sent")
            .body::<reviews::ReviewList>(REVIEW_EXAMPLE)
            .answer::<reviews::ReviewsRecorded>(),
        Operation::get("/api/cards/speech", speech::speech)
            .summary("The word of a card, or a sentence of it, read aloud by the operator's speech server")
            .required_query("card", text())
            .query("context", number(1_000))
            .media_types(&["audio/mpeg"]),
    ]
}

const REVIEW_EXAMPLE: &str =
    r#"{"reviews":[{"id":"4f1c","card":"lv:uk:word:suns","rating":"good","at":1800000000000}]}"#;
const RUN_EXAMPLE: &str =
    r#"{"text":"Suns rej. Kaķis skrien.","name":"Animals","from":"lv","to":"uk"}"#;
const FILE_EXAMPLE: &str = r#"{"name":"story.txt","base64":"U3VucyByZWou","language":"lv"}"#;
const PAGE_EXAMPLE: &str = r#"{"url":"https://example.com/","language":"en"}"#;
const IMPORT_EXAMPLE: &str =
    r#"{"name":"deck","content":"[{\"base_form\":\"suns\"}]","from":"lv","to":"uk"}"#;
const EXPORT_MEDIA_TYPES: &[&str] =
    &["text/csv", "text/plain", "application/jsonl", "application/octet-stream"];

fn text() -> Value {
    json!({ "type": "string" })
}

fn export_format() -> Value {
    json!({ "type": "string", "enum": ["json", "jsonl", "csv", "txt", "apkg"] })
}

/// A list of what to recall.
fn recalls() -> Value {
    json!({ "type": "string", "pattern": "^(meaning|word|gap)(,(meaning|word|gap))*$" })
}

fn number(max: u64) -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": max })
}

fn language_code() -> Value {
    json!({ "type": "string", "pattern": "^[a-z]{2,3}$" })
}

described! {
    CardRuns {
        runs: Vec<Value>,
        model: String,
        rehearsal: bool,
        batches: bool,
        characters: u64,
        speech: bool,
        anki: bool,
    }
    /// A run of flashcards; `trouble` is in the reader's language.
    CardRun {
        id: String,
        document: String,
        from: String,
        to: String,
        sentences: u64,
        progress: Value,
        partial: bool,
        trouble: Option<Value>,
        busy: bool,
        counts: Value,
        estimate: Value,
    }
    Sentences { sentences: u64, }
    RunStopped { stopped: bool, }
    /// `pieces` are the sentences of `contexts`, split at the card's word.
    CardShown {
        key: String,
        unit: String,
        meaning: String,
        shown: bool,
        edited: bool,
        known: bool,
        visible: bool,
        contexts: Vec<Value>,
        pieces: Vec<Vec<Value>>,
    }
    SentenceShown {
        index: u64,
        sid: String,
        gap: String,
        text: String,
        translation: Option<String>,
        state: String,
        trouble: Option<Value>,
        segments: Vec<Value>,
    }
    Undone { undone: bool, }
    Imported { run: Option<String>, preview: Value, }
}
