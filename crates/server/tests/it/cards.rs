//! Flashcards over HTTP: a text in, cards out; retries, edits, and one owner's runs hidden from others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use contract::{FaultKind, ModelFault, Part, Request, StopReason};
use serde_json::{Value, json};
use server::Token;
use testkit::Gate;
use testkit::script::{ScriptedModel, Step, fails, says};

use crate::support::client::Client;
use crate::support::test_server::{Served, World};

const TEXT: &str = "Suns rej. Kaķis skrien. Putns dzied.";

/// Cards for the sentences of a request; none for any other request.
pub(crate) fn flashcards(request: &Request) -> Option<Step> {
    let sentences = asked(request);
    (!sentences.is_empty()).then(|| says(&answer(&sentences).to_string()))
}

fn asked(request: &Request) -> Vec<(usize, String)> {
    let first = request.messages.first().and_then(|message| message.blocks.first());
    let Some(Part::Text { text }) = first.map(|block| &block.part) else { return Vec::new() };
    let line = |line: &str| {
        let (number, sentence) = line.strip_prefix('[')?.split_once("] ")?;
        Some((number.parse().ok()?, sentence.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

/// A card for the first word of each sentence.
fn answer(sentences: &[(usize, String)]) -> Value {
    let card = |(index, sentence): &(usize, String)| {
        let word = sentence.split([' ', '.']).next().unwrap_or_default();
        json!({
            "base_form": word.to_lowercase(), "base_translation": format!("це {word}"),
            "unit": "word", "visible": true,
            "contexts": [{ "sid": index, "translation": format!("Речення {index}."),
                           "forms": [{ "form": word, "translation": format!("тут {word}") }] }],
        })
    };
    json!({ "flashcards": sentences.iter().map(card).collect::<Vec<_>>() })
}

fn answering() -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::answering(|request| flashcards(request).unwrap_or_default()))
}

/// Creates a run of the text and returns its path.
async fn begun(client: &Client, text: &str) -> String {
    let body = json!({"text": text, "name": "Animals", "from": "lv", "to": "uk"});
    let response = client.send("POST", "/api/cards", body).await;
    assert_eq!(response.status, 201, "{}", response.text);
    format!("/api/cards/{}", response.json()["id"].as_str().unwrap())
}

/// Waits until the run is idle.
async fn rested(client: &Client, path: &str) -> Value {
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    let events = stream.until("end").await;
    let end = events.last().unwrap().data.clone();
    assert_eq!(end["fault"], Value::Null, "{end}");
    client.get(path).await.json()
}

/// Creates a run, makes its cards and returns its id.
pub(crate) async fn made(client: &Client) -> String {
    let path = begun(client, TEXT).await;
    assert_eq!(client.send("POST", &format!("{path}/work"), json!({})).await.status, 202);
    rested(client, &path).await;
    path.rsplit('/').next().unwrap().to_owned()
}

async fn deck(client: &Client, path: &str) -> Vec<Value> {
    client.get(&format!("{path}/deck")).await.json().as_array().unwrap().clone()
}

fn meanings(deck: &[Value]) -> Vec<&str> {
    deck.iter().map(|card| card["meaning"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_becomes_cards_and_nothing_is_sent_before_work_starts() {
    let (world, model) = (World::new(), answering());
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begun(client, TEXT).await;
    let run = client.get(&path).await.json();
    assert_eq!((run["sentences"].as_u64(), run["busy"].as_bool()), (Some(3), Some(false)));
    assert_eq!(run["estimate"]["sentences"], 3);
    assert_eq!(model.requests().len(), 0);
    assert_eq!(client.send("POST", &format!("{path}/work"), json!({})).await.status, 202);
    let run = rested(client, &path).await;
    assert_eq!((&run["progress"]["state"], &run["counts"]["words"]), (&json!("ready"), &json!(6)));
    let cards = deck(client, &path).await;
    assert_eq!(meanings(&cards), ["це Suns", "це Kaķis", "це Putns"]);
    assert_eq!(cards[0]["pieces"][0][0], json!({"text": "Suns", "marked": true}));
    let sentences = client.get(&format!("{path}/sentences")).await.json();
    assert_eq!(sentences[1]["translation"], "Речення 1.");
    assert_eq!(sentences[1]["segments"][0]["mark"]["translation"], "тут Kaķis");
    // The same text is the same run, and is not sent again.
    let asked = model.requests().len();
    assert_eq!(begun(client, TEXT).await, path);
    client.send("POST", &format!("{path}/work"), json!({})).await;
    rested(client, &path).await;
    assert_eq!(model.requests().len(), asked);
    let runs = client.get("/api/cards").await.json();
    assert_eq!((runs["runs"].as_array().unwrap().len(), &runs["characters"]), (1, &json!(100_000)));
}

/// Refuses the sentence with a cat while the switch is on.
fn moody() -> (Arc<ScriptedModel>, Arc<AtomicBool>) {
    let refuses = Arc::new(AtomicBool::new(true));
    let switch = Arc::clone(&refuses);
    let model = ScriptedModel::answering(move |request| {
        let cat = asked(request).iter().any(|(_, sentence)| sentence.contains("Kaķis"));
        match cat && switch.load(Ordering::SeqCst) {
            true => Step::new().stopping(StopReason::Refusal { text: "No.".to_owned() }),
            false => flashcards(request).unwrap_or_default(),
        }
    });
    (Arc::new(model), refuses)
}

#[tokio::test(flavor = "multi_thread")]
async fn fc_22_a_failed_sentence_is_explained_in_the_readers_language_and_retried_in_place() {
    let (model, refuses) = moody();
    let world = World::new();
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = format!("/api/cards/{}", made(client).await);
    let before = deck(client, &path).await;
    assert_eq!(meanings(&before), ["це Suns", "це Putns"]);
    let mut titles = Vec::new();
    for locale in ["en", "uk", "ru"] {
        let sentences = client.get(&format!("{path}/sentences?locale={locale}")).await.json();
        let trouble = &sentences[1]["trouble"];
        assert_eq!((&trouble["code"], &sentences[0]["trouble"]), (&json!("REFUSED"), &Value::Null));
        titles.push(trouble["banner"]["title"].as_str().unwrap().to_owned());
        assert!(!trouble["banner"]["text"].as_str().unwrap().is_empty());
    }
    assert!(titles[0] != titles[1] && titles[1] != titles[2], "{titles:?}");
    assert_eq!(client.get(&path).await.json()["partial"], true);
    refuses.store(false, Ordering::SeqCst);
    let response = client.send("POST", &format!("{path}/retry"), json!({"sentences": [1]})).await;
    assert_eq!((response.status.as_u16(), &response.json()["sentences"]), (202, &json!(1)));
    assert_eq!(rested(client, &path).await["progress"]["holes"], 0);
    let after = deck(client, &path).await;
    assert_eq!(meanings(&after), ["це Suns", "це Kaķis", "це Putns"]);
    assert_eq!((&after[0], &after[2]), (&before[0], &before[1]), "the others are untouched");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_can_be_skipped() {
    let (model, _) = moody();
    let world = World::new();
    let served = world.serve(&model).await;
    let path = format!("/api/cards/{}", made(&served.client).await);
    let response = served.client.send("POST", &format!("{path}/skip"), json!({})).await;
    assert_eq!(response.json()["sentences"], 1);
    assert_eq!(served.client.get(&path).await.json()["progress"]["state"], "ready");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_fault_is_shown_as_a_banner_and_the_run_continues_later() {
    let broken = Arc::new(AtomicBool::new(true));
    let switch = Arc::clone(&broken);
    let model =
        Arc::new(ScriptedModel::answering(move |request| match switch.load(Ordering::SeqCst) {
            true => fails(ModelFault {
                kind: FaultKind::WrongKey,
                message: "the key is wrong".to_owned(),
                fix: "give another".to_owned(),
                status: Some(401),
                retry_after: None,
            }),
            false => flashcards(request).unwrap_or_default(),
        }));
    let world = World::new();
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = format!("/api/cards/{}", made(client).await);
    let run = client.get(&format!("{path}?locale=uk")).await.json();
    assert_eq!(
        (&run["trouble"]["code"], &run["progress"]["waiting"]),
        (&json!("AUTH_ERROR"), &json!(3))
    );
    broken.store(false, Ordering::SeqCst);
    client.send("POST", &format!("{path}/work"), json!({})).await;
    let run = rested(client, &path).await;
    assert_eq!((&run["trouble"], &run["progress"]["received"]), (&Value::Null, &json!(3)));
}

#[tokio::test(flavor = "multi_thread")]
async fn fc_17_cards_are_edited_hidden_and_restored_and_edits_are_undone() {
    let world = World::new();
    let served = world.serve(&answering()).await;
    let client = &served.client;
    let path = format!("/api/cards/{}", made(client).await);
    let before = deck(client, &path).await;
    let change = json!({"card": "lv:word:suns", "front": "Suns!", "translation": "собака",
        "contexts": [{"at": 0, "translation": "Собака гавкає."}]});
    assert_eq!(client.send("PUT", &format!("{path}/deck"), change).await.status, 204);
    let changed = deck(client, &path).await;
    assert_eq!((&changed[0]["meaning"], &changed[0]["edited"]), (&json!("собака"), &json!(true)));
    assert_eq!(changed[0]["contexts"][0]["translation"], "Собака гавкає.");
    let mark = client.get(&format!("{path}/sentences")).await.json()[0]["segments"][0].clone();
    assert_eq!(mark["mark"]["meaning"], "собака", "the edit is shown in the text");
    let hide = json!({"cards": ["lv:word:suns", "lv:word:putns"], "visible": false});
    assert_eq!(client.send("POST", &format!("{path}/visible"), hide).await.status, 204);
    let shown: Vec<_> =
        deck(client, &path).await.iter().map(|card| card["shown"].clone()).collect();
    assert_eq!(shown, [json!(false), json!(true), json!(false)]);
    let undone = client.send("POST", &format!("{path}/undo"), json!({})).await.json();
    assert_eq!(undone["undone"], true);
    assert_eq!(deck(client, &path).await, changed);
    let restore = json!({"card": "lv:word:suns"});
    assert_eq!(client.send("POST", &format!("{path}/restore"), restore).await.status, 204);
    assert_eq!(deck(client, &path).await, before);
    let empty = json!({"card": "lv:word:suns", "front": " "});
    assert_eq!(client.send("PUT", &format!("{path}/deck"), empty).await.status, 400);
    let strange = json!({"card": "lv:word:nav", "front": "a"});
    assert_eq!(client.send("PUT", &format!("{path}/deck"), strange).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn fc_25_one_card_can_be_made_again() {
    let (world, model) = (World::new(), answering());
    let served = world.serve(&model).await;
    let path = format!("/api/cards/{}", made(&served.client).await);
    let asked_before = model.requests().len();
    let body = json!({"card": "lv:word:kaķis"});
    let response = served.client.send("POST", &format!("{path}/retry"), body).await;
    assert_eq!(response.json()["sentences"], 1);
    rested(&served.client, &path).await;
    let requests = model.requests();
    assert_eq!(requests.len(), asked_before + 1);
    assert_eq!(asked(requests.last().unwrap()), [(1, "Kaķis skrien.".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_removed_by_its_owner() {
    let world = World::new();
    let served = world.serve(&answering()).await;
    let path = format!("/api/cards/{}", made(&served.client).await);
    assert_eq!(served.client.send("DELETE", &path, json!({})).await.status, 204);
    assert_eq!(served.client.get(&path).await.status, 404);
    assert_eq!(served.client.get("/api/cards").await.json()["runs"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_are_exported_and_imported_and_known_words_are_hidden() {
    let world = World::new();
    let served = world.serve(&answering()).await;
    let client = &served.client;
    let path = format!("/api/cards/{}", made(client).await);
    for (kind, start) in [("json", "{"), ("jsonl", "{"), ("csv", "key"), ("txt", "#separator")] {
        let response = client.get(&format!("{path}/export?as={kind}")).await;
        assert!(response.text.starts_with(start), "{kind}: {}", response.text);
        let name = response.headers["content-disposition"].to_str().unwrap();
        assert!(name.contains(&format!(".{kind}\"")), "{name}");
    }
    assert_eq!(client.get(&format!("{path}/export?as=doc")).await.status, 400);
    let content = r#"[{"base_form":"suns","base_translation":"пес"},{"base_form":"lauva"}]"#;
    let id = path.rsplit('/').next().unwrap();
    let file = |preview: bool| {
        json!({"name": "deck", "content": content, "into": id, "preview": preview,
            "strategy": "merge-prefer-imported", "from": "lv", "to": "uk"})
    };
    let preview = client.send("POST", "/api/cards/import", file(true)).await.json();
    let expected = json!({"added": ["lv:uk:word:lauva"], "changed": ["lv:uk:word:suns"],
        "removed": [], "kept": 2});
    assert_eq!(preview["preview"], expected);
    assert_eq!(deck(client, &path).await.len(), 3, "a preview changes nothing");
    assert_eq!(client.send("POST", "/api/cards/import", file(false)).await.status, 200);
    assert_eq!(deck(client, &path).await.len(), 4);
    let known = json!({"language": "lv", "learned": ["suns"]});
    assert_eq!(client.send("PUT", "/api/cards/known", known).await.status, 204);
    let cards = deck(client, &path).await;
    assert_eq!((&cards[0]["known"], &cards[0]["shown"]), (&json!(true), &json!(false)));
    let words = client.get("/api/cards/known?language=lv").await.json();
    assert_eq!(words, json!({"words": ["suns"]}));
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_have_a_limit_and_batches_are_refused_if_the_model_has_none() {
    let mut world = World::new();
    world.cards_limits.text_chars_max = 20;
    world.cards_limits.sentences_listed_max = 1;
    let served = world.serve(&answering()).await;
    let client = &served.client;
    for (text, from, status) in
        [(TEXT, "lv", 413), (" ", "lv", 400), ("Suns.", "uk", 400), ("Suns.", "?", 400)]
    {
        let body = json!({"text": text, "from": from, "to": "uk"});
        assert_eq!(client.send("POST", "/api/cards", body).await.status, status, "{text} {from}");
    }
    let path = begun(client, "Ņem šo sun ķē vē lē.").await;
    begun(client, "Rej. Skrien.").await;
    let listed = client.get("/api/cards").await.json()["runs"].as_array().unwrap().len();
    assert_eq!(listed, 1, "a run of two sentences is too large for this list");
    let batch = client.send("POST", &format!("{path}/work"), json!({"batch": true})).await;
    assert_eq!(batch.status, 400);
    let costly = client.send("POST", &format!("{path}/work"), json!({"max_cost": 1.0})).await;
    assert_eq!(costly.status, 400, "no price is known: {}", costly.text);
    assert_eq!(
        client.send("POST", &format!("{path}/stop"), json!({})).await.json()["stopped"],
        false
    );
}

const ANA: &str = "ana-0123456789abcdef";
const BEN: &str = "ben-0123456789abcdef";

async fn of_two(model: &Arc<ScriptedModel>) -> (World, Served) {
    let mut world = World::new();
    for (owner, secret) in [("ana", ANA), ("ben", BEN)] {
        world.tokens.push(Token::parse(&format!("{owner}={secret}")).unwrap());
    }
    let served = world.serve(model).await;
    (world, served)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_cannot_see_the_runs_or_words_of_another() {
    let (_world, served) = of_two(&answering()).await;
    let (ana, ben) = (served.of(ANA), served.of(BEN));
    let path = format!("/api/cards/{}", made(&ana).await);
    let id = path.rsplit('/').next().unwrap();
    assert_eq!(ben.get("/api/cards").await.json()["runs"], json!([]));
    let key = json!({"card": "lv:word:suns"});
    let file = json!({"name": "a", "content": "[{\"base_form\":\"a\"}]", "into": id,
        "from": "lv", "to": "uk"});
    for (method, at, body) in [
        ("GET", path.clone(), json!({})),
        ("GET", format!("{path}/deck"), json!({})),
        ("GET", format!("{path}/sentences"), json!({})),
        ("GET", format!("{path}/stream"), json!({})),
        ("GET", format!("{path}/export"), json!({})),
        ("POST", format!("{path}/work"), json!({})),
        ("POST", format!("{path}/retry"), key.clone()),
        ("POST", format!("{path}/skip"), json!({})),
        ("POST", format!("{path}/stop"), json!({})),
        ("PUT", format!("{path}/deck"), key.clone()),
        ("POST", format!("{path}/visible"), json!({"cards": [], "visible": false})),
        ("POST", format!("{path}/restore"), key),
        ("POST", format!("{path}/undo"), json!({})),
        ("POST", "/api/cards/import".to_owned(), file),
    ] {
        assert_eq!(ben.send(method, &at, body).await.status, 404, "{method} {at}");
    }
    // The same text is another run for another owner.
    assert_ne!(made(&ben).await, id);
    let known = json!({"language": "lv", "learned": ["suns"]});
    ben.send("PUT", "/api/cards/known", known).await;
    assert_eq!(ana.get("/api/cards/known?language=lv").await.json(), json!({"words": []}));
    assert_eq!(served.client.get("/cards").await.status, 401);
    assert_eq!(ana.get("/cards").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_continues_where_it_was() {
    let gate = Gate::new();
    let model = Arc::new(ScriptedModel::new([Step::new().waits(&gate)]));
    let world = World::new();
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begun(client, TEXT).await;
    client.send("POST", &format!("{path}/work"), json!({})).await;
    gate.reached().await;
    let busy = client.get(&path).await.json();
    assert_eq!((&busy["busy"], &busy["progress"]["received"]), (&json!(true), &json!(0)));
    // A second request in the meantime is refused.
    let retried = client.send("POST", &format!("{path}/retry"), json!({"sentences": [0]})).await;
    assert_eq!(retried.status, 409, "{}", retried.text);
    assert_eq!(
        client.send("POST", &format!("{path}/stop"), json!({})).await.json()["stopped"],
        true
    );
    let run = rested(client, &path).await;
    assert_eq!((&run["busy"], &run["progress"]["waiting"]), (&json!(false), &json!(3)));
    served.end().await;
    // Another server on the same store continues.
    let served = world.serve(&answering()).await;
    works(&served.client, &path).await;
    assert_eq!(deck(&served.client, &path).await.len(), 3);
}

async fn works(client: &Client, path: &str) {
    assert_eq!(client.send("POST", &format!("{path}/work"), json!({})).await.status, 202);
    rested(client, path).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_server_continues_the_runs_of_one_that_shut_down() {
    let gate = Gate::new();
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([Step::new().waits(&gate)]))).await;
    let path = begun(&served.client, TEXT).await;
    served.client.send("POST", &format!("{path}/work"), json!({})).await;
    gate.reached().await;
    served.end().await;
    let served = world.serve(&answering()).await;
    works(&served.client, &path).await;
    assert_eq!(deck(&served.client, &path).await.len(), 3);
}
