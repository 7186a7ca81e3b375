//! A library in its own store, a clock that only sleeping moves, and models.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use cancel::Cancel;
use cards::{
    Answerer, AskSettings, Chunking, Library, NewRun, Pair, Patience, Progress, RunId, Sending,
    WorkEnd, WorkOptions,
};
use contract::{BoxFuture, Model, Part, Request, StopReason, StructuredReply};
use models::Clock;
use serde_json::{Value, json};
use store::{SqliteOptions, SqliteStore};
use testkit::script::{ScriptedModel, Step, says};

/// Time passes only while somebody sleeps; every sleep is kept.
#[derive(Debug)]
pub(crate) struct Moved {
    now: Mutex<SystemTime>,
    pub(crate) sleeps: Mutex<Vec<Duration>>,
}

impl Moved {
    pub(crate) fn new() -> Arc<Self> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        Arc::new(Self { now: Mutex::new(now), sleeps: Mutex::default() })
    }

    pub(crate) fn pass(&self, time: Duration) {
        *self.now.lock().unwrap() += time;
    }
}

impl Clock for Moved {
    fn now(&self) -> SystemTime {
        *self.now.lock().unwrap()
    }
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        self.pass(time);
        self.sleeps.lock().unwrap().push(time);
        Box::pin(async {})
    }
    fn dice(&self) -> f64 {
        0.5
    }
}

pub(crate) struct World {
    pub(crate) library: Library,
    pub(crate) clock: Arc<Moved>,
}

impl World {
    pub(crate) fn new() -> Self {
        let store = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
        let clock = Moved::new();
        Self { library: Library::new(Arc::new(store), clock.clone()), clock }
    }

    pub(crate) async fn begin(&self, text: &str) -> RunId {
        self.begin_as(text, 4).await
    }

    /// With chunks of so many sentences.
    pub(crate) async fn begin_as(&self, text: &str, sentences_max: usize) -> RunId {
        let beginning = NewRun {
            document: "story.txt".to_owned(),
            pair: pair(),
            chunking: Chunking { sentences_max, bytes_max: 4_000 },
        };
        self.library.begin(text, &beginning).await.unwrap().id
    }

    /// A Latvian text with meanings in another language; later runs are younger.
    pub(crate) async fn begin_in(&self, text: &str, document: &str, to: &str) -> RunId {
        self.clock.pass(Duration::from_secs(1));
        let beginning = NewRun {
            document: document.to_owned(),
            pair: Pair { from: "lv".parse().unwrap(), to: to.parse().unwrap() },
            chunking: Chunking { sentences_max: 4, bytes_max: 4_000 },
        };
        self.library.begin(text, &beginning).await.unwrap().id
    }

    pub(crate) async fn work(&self, run: &RunId, model: &Arc<ScriptedModel>) -> WorkEnd {
        self.work_with(run, model, options()).await.0
    }

    pub(crate) async fn work_with(
        &self,
        run: &RunId,
        model: &Arc<ScriptedModel>,
        options: WorkOptions,
    ) -> (WorkEnd, Vec<Progress>) {
        let by = Answerer { model: Arc::clone(model) as Arc<dyn Model>, batches: None };
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let watcher =
            Arc::new(move |progress: &Progress| sink.lock().unwrap().push(progress.clone()));
        let end = self.library.work(run, &by, &options, watcher).await.unwrap();
        let seen = seen.lock().unwrap().clone();
        (end, seen)
    }

    /// Each sentence as `index state translation`.
    pub(crate) async fn told(&self, run: &RunId) -> Vec<String> {
        let views = self.library.sentences(run, "en").await.unwrap();
        let line = |view: cards::SentenceView| {
            let said = view.translation.unwrap_or_default();
            let code = view.trouble.map(|trouble| format!(" {}", trouble.code)).unwrap_or_default();
            format!("{} {:?}{code} {said}", view.index, view.state).trim_end().to_owned()
        };
        views.into_iter().map(line).collect()
    }
}

pub(crate) fn pair() -> Pair {
    Pair { from: "lv".parse().unwrap(), to: "ru".parse().unwrap() }
}

/// One request at a time, so that the order of requests is the order of the text.
pub(crate) fn options() -> WorkOptions {
    WorkOptions {
        sending: Sending::Live,
        requests_at_once_max: 1,
        cost_max: None,
        ask: AskSettings::usual(),
        patience: Patience::UntilEnded,
        cancel: Cancel::default(),
    }
}

/// The numbered sentences of a request.
pub(crate) fn asked(request: &Request) -> Vec<(usize, String)> {
    let first = &request.messages[0].blocks[0].part;
    let Part::Text { text } = first else { panic!("no text") };
    asked_in(text)
}

pub(crate) fn asked_in(text: &str) -> Vec<(usize, String)> {
    let line = |line: &str| {
        let (number, sentence) = line.strip_prefix('[').unwrap().split_once("] ").unwrap();
        (number.parse().unwrap(), sentence.to_owned())
    };
    text.lines().filter(|line| line.starts_with('[')).map(line).collect()
}

/// A card for the first word of a sentence, as a good model writes it.
pub(crate) fn card(index: usize, sentence: &str) -> Value {
    let word = sentence.split([' ', '.', '!', '?']).next().unwrap();
    json!({
        "base_form": word.to_lowercase(), "base_translation": format!("значение {word}"),
        "unit": "word", "visible": true,
        "contexts": [{ "sid": index, "translation": format!("Перевод {index}."),
                       "forms": [{ "form": word, "translation": "перевод" }] }],
    })
}

pub(crate) fn answer(sentences: &[(usize, String)]) -> Value {
    let cards: Vec<_> = sentences.iter().map(|(index, text)| card(*index, text)).collect();
    json!({ "flashcards": cards })
}

pub(crate) fn good(sentences: &[(usize, String)]) -> Step {
    says(&answer(sentences).to_string())
}

/// An answer that breaks off after these sentences.
pub(crate) fn cut(sentences: &[(usize, String)]) -> Step {
    let complete = answer(sentences);
    let text = complete.to_string();
    Step::new().shaped(StructuredReply::Torn { complete, text }).stopping(StopReason::MaxTokens)
}

/// A model that answers as the closure says, by the sentences of the request.
pub(crate) fn model(
    answer: impl Fn(&[(usize, String)]) -> Step + Send + Sync + 'static,
) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::answering(move |request| answer(&asked(request))))
}

/// The indexes of every request, in order.
pub(crate) fn sent(model: &ScriptedModel) -> Vec<Vec<usize>> {
    let indexes = |request: &Request| asked(request).into_iter().map(|(index, _)| index).collect();
    model.requests().iter().map(indexes).collect()
}
