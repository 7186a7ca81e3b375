//! R3: a result that comes after the end of its call is told to the log and never delivered.
//!
//! The test itself is the child at the other end of the channel, so every order of events is
//! exact.

use std::fmt;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use policy::{BoxFuture, HandlerOutcome, ServiceFault, Services};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tracing::field::{Field, Visit};
use tracing::span;

use crate::sandbox::{Fence, Level, Part};
use crate::spawn::{Launch, Role, launch};
use crate::wire::{End, FromChild, Throw, ToChild, frame};
use crate::worker::{FRAME_BYTES_MAX, WorkerLimits};

use super::*;

/// Keeps every warning, one line each.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push_str(&format!("{}={value:?} ", field.name()));
    }
}

/// Answers `chunk` never, so that a handler's last words keep its end waiting.
struct Slow;

impl Services for Slow {
    fn call(&self, _name: &str, _args: Value) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        Box::pin(std::future::pending())
    }
}

/// The far side of the channel.
struct Far(tokio::net::UnixStream);

impl Far {
    async fn say(&mut self, message: &FromChild) {
        let mut bytes = Vec::new();
        frame::encode(message, &mut bytes, FRAME_BYTES_MAX).unwrap();
        self.0.write_all(&bytes).await.unwrap();
    }

    /// The next thing the parent says.
    async fn hear(&mut self) -> ToChild {
        let mut head = [0; 4];
        self.0.read_exact(&mut head).await.unwrap();
        let mut body = vec![0; u32::from_le_bytes(head) as usize];
        self.0.read_exact(&mut body).await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    async fn returns(&mut self, call: CallNo, value: &Value) {
        let end = End::Returned(to_raw_value(value).unwrap());
        self.say(&FromChild::Done { call, end }).await;
    }
}

async fn child() -> (Arc<Child>, Far) {
    // Any process will do: nothing is asked of it.
    let role = Role::Worker(WorkerLimits::default());
    let fence = Fence::engine(1 << 30);
    let running = launch(Launch { program: "/bin/true".into(), fence, role }).await.unwrap();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let part = || Part::Unavailable("a test".to_owned());
    let level = Level {
        privileges: part(),
        user: part(),
        parent_death: part(),
        limits: part(),
        files: part(),
        calls: part(),
        signals: part(),
    };
    let manners = Manners {
        flood: WorkerLimits::default().flood,
        stop_grace: Duration::from_secs(3_600),
        drain_max: Duration::from_secs(5),
        silence_max: None,
        numbers: Numbers::Counted,
    };
    let outlet = Outlet::new(ours).unwrap();
    theirs.set_nonblocking(true).unwrap();
    let far = Far(tokio::net::UnixStream::from_std(theirs).unwrap());
    (Child::over(running, level, outlet, manners), far)
}

fn open(child: &Arc<Child>) -> Ticket {
    let request = Request {
        bundle: 1,
        handler: "t/handler.js".to_owned(),
        part: crate::wire::Part::Execute,
        modules: None,
        args: to_raw_value(&json!({})).unwrap(),
        context: to_raw_value(&json!({})).unwrap(),
        services: Arc::new(Slow),
        time: Duration::from_secs(60),
        limit_ms: 60_000,
    };
    child.open(request).unwrap()
}

/// Lets everything happen that can, until a call that was started afterwards has ended too.
async fn settle(child: &Arc<Child>, far: &mut Far) {
    let mut ticket = open(child);
    let call = loop {
        if let ToChild::Start(start) = far.hear().await {
            break start.call;
        }
    };
    far.returns(call, &json!("next")).await;
    let Ending::Answered { answer, .. } = ticket.ending().await else { panic!("it was lost") };
    assert_eq!(answer, HandlerOutcome::Returned(json!("next")));
}

const SECRET: &str = "canary-5e1f";

/// Runs on one thread, so that every warning is heard.
fn quarantined(work: impl AsyncFnOnce()) -> Vec<String> {
    let warnings = Warnings::default();
    let _guard = tracing::subscriber::set_default(warnings.clone());
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work());
    let lines = warnings.0.lock().unwrap().clone();
    assert!(!lines.iter().any(|line| line.contains(SECRET)), "{lines:?}");
    lines.into_iter().filter(|line| line.contains("a late result is quarantined")).collect()
}

#[test]
fn r3_a_result_for_a_call_that_was_given_up_is_quarantined() {
    let lines = quarantined(async || {
        let (child, mut far) = child().await;
        let ticket = open(&child);
        assert!(matches!(far.hear().await, ToChild::Start(start) if start.call == 1));
        assert!(!ticket.give_up());
        assert_eq!(child.load(), 1, "it is not gone yet");
        assert!(matches!(far.hear().await, ToChild::Cancel { call: 1 }));
        far.returns(1, &json!(SECRET)).await;
        settle(&child, &mut far).await;
        assert_eq!(child.load(), 0);
        // Once more, for a call that is long gone.
        let throw = Throw { message: SECRET.into(), ..Throw::default() };
        far.say(&FromChild::Done { call: 1, end: End::Threw(Box::new(throw)) }).await;
        settle(&child, &mut far).await;
    });
    let [late, again] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(late.contains("call=1 handler=\"t/handler.js\" bytes=13"), "{late}");
    assert!(again.contains("call=1 handler=\"unknown\" bytes=11"), "{again}");
}

#[test]
fn r3_a_result_whose_last_words_are_still_on_their_way_is_quarantined_at_the_limit() {
    let lines = quarantined(async || {
        let (child, mut far) = child().await;
        let ticket = open(&child);
        far.hear().await;
        let args = to_raw_value(&json!({"channel": "assistant", "text": "…"})).unwrap();
        far.say(&FromChild::Call { call: 1, n: 1, name: "chunk".into(), args }).await;
        far.returns(1, &json!(SECRET)).await;
        settle(&child, &mut far).await;
        drop(ticket);
        settle(&child, &mut far).await;
        tokio::task::yield_now().await;
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("call=1 handler=\"t/handler.js\" bytes=13"), "{lines:?}");
}

#[test]
fn r3_a_result_between_the_limit_and_the_stop_is_quarantined() {
    let lines = quarantined(async || {
        let (child, mut far) = child().await;
        let ticket = open(&child);
        far.hear().await;
        far.returns(1, &json!(SECRET)).await;
        settle(&child, &mut far).await;
        // It has come, and nobody has looked.
        assert!(!ticket.give_up());
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn a_result_in_time_is_delivered_and_not_spoken_of() {
    let lines = quarantined(async || {
        let (child, mut far) = child().await;
        settle(&child, &mut far).await;
    });
    assert_eq!(lines, Vec::<String>::new());
}
