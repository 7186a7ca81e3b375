//! A result that arrives after the end of its call is logged and never delivered.
//!
//! The test acts as the child at the other end of the channel, so the order of events is exact.

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

use crate::js::worker::{FRAME_BYTES_MAX, WorkerLimits};
use crate::protocol::{End, FromChild, Throw, ToChild, frame};
use crate::sandbox::{Level, Protection, Sandbox};
use crate::spawn::{Launch, Role, launch};

use super::*;

/// Records every warning as one line.
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
        let mut line = EventText(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct EventText(String);

impl Visit for EventText {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push_str(&format!("{}={value:?} ", field.name()));
    }
}

/// Never answers, so that a pending `chunk` delays the end of a call.
struct Slow;

impl Services for Slow {
    fn call(&self, _name: &str, _args: Value) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        Box::pin(std::future::pending())
    }
}

/// The child's end of the channel.
struct ChildEnd(tokio::net::UnixStream);

impl ChildEnd {
    async fn say(&mut self, message: &FromChild) {
        let mut bytes = Vec::new();
        frame::encode(message, &mut bytes, FRAME_BYTES_MAX).unwrap();
        self.0.write_all(&bytes).await.unwrap();
    }

    /// The next message of the parent.
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

async fn child() -> (Arc<Child>, ChildEnd) {
    // Any process will do.
    let role = Role::Worker(WorkerLimits::default());
    let sandbox = Sandbox::engine(1 << 30);
    let running = launch(Launch { program: "/bin/true".into(), sandbox, role }).await.unwrap();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let part = || Protection::Unavailable("a test".to_owned());
    let level = Level {
        privileges: part(),
        user: part(),
        parent_death: part(),
        limits: part(),
        files: part(),
        calls: part(),
        signals: part(),
    };
    let child_limits = ChildLimits {
        flood: WorkerLimits::default().flood,
        stop_grace: Duration::from_secs(3_600),
        drain_max: Duration::from_secs(5),
        silence_max: None,
        numbering: CallNumbering::Counted,
    };
    let channel = Channel::new(ours).unwrap();
    theirs.set_nonblocking(true).unwrap();
    let child_end = ChildEnd(tokio::net::UnixStream::from_std(theirs).unwrap());
    (Child::from_parts(running, level, channel, child_limits), child_end)
}

fn open(child: &Arc<Child>) -> CallHandle {
    let request = Request {
        bundle: 1,
        handler: "t/handler.js".to_owned(),
        part: crate::protocol::EntryPoint::Execute,
        modules: None,
        args: to_raw_value(&json!({})).unwrap(),
        context: to_raw_value(&json!({})).unwrap(),
        services: Arc::new(Slow),
        time: Duration::from_secs(60),
        limit_ms: 60_000,
    };
    child.open(request).unwrap()
}

/// Lets all pending work happen, by running another call to its end.
async fn settle(child: &Arc<Child>, child_end: &mut ChildEnd) {
    let mut handle = open(child);
    let call = loop {
        if let ToChild::Start(start) = child_end.hear().await {
            break start.call;
        }
    };
    child_end.returns(call, &json!("next")).await;
    let CallOutcome::Answered { answer, .. } = handle.outcome().await else {
        panic!("it was lost")
    };
    assert_eq!(answer, HandlerOutcome::Returned(json!("next")));
}

const SECRET: &str = "canary-5e1f";

/// Runs on one thread, so that every warning is recorded.
fn quarantined(work: impl AsyncFnOnce()) -> Vec<String> {
    let warnings = Warnings::default();
    let _guard = tracing::subscriber::set_default(warnings.clone());
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work());
    let lines = warnings.0.lock().unwrap().clone();
    assert!(!lines.iter().any(|line| line.contains(SECRET)), "{lines:?}");
    lines.into_iter().filter(|line| line.contains("a late result is quarantined")).collect()
}

#[test]
fn a_result_for_an_abandoned_call_is_quarantined() {
    let lines = quarantined(async || {
        let (child, mut child_end) = child().await;
        let handle = open(&child);
        assert!(matches!(child_end.hear().await, ToChild::Start(start) if start.call == 1));
        assert!(!handle.give_up());
        assert_eq!(child.load(), 1, "it is not gone yet");
        assert!(matches!(child_end.hear().await, ToChild::Cancel { call: 1 }));
        child_end.returns(1, &json!(SECRET)).await;
        settle(&child, &mut child_end).await;
        assert_eq!(child.load(), 0);
        // Once more, for a call that ended long ago.
        let throw = Throw { message: SECRET.into(), ..Throw::default() };
        child_end.say(&FromChild::Done { call: 1, end: End::Threw(Box::new(throw)) }).await;
        settle(&child, &mut child_end).await;
    });
    let [late, again] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(late.contains("call=1 handler=\"t/handler.js\" bytes=13"), "{late}");
    assert!(again.contains("call=1 handler=\"unknown\" bytes=11"), "{again}");
}

#[test]
fn a_result_with_pending_chunks_is_quarantined_at_the_limit() {
    let lines = quarantined(async || {
        let (child, mut child_end) = child().await;
        let handle = open(&child);
        child_end.hear().await;
        let args = to_raw_value(&json!({"channel": "assistant", "text": "…"})).unwrap();
        child_end.say(&FromChild::Call { call: 1, n: 1, name: "chunk".into(), args }).await;
        child_end.returns(1, &json!(SECRET)).await;
        settle(&child, &mut child_end).await;
        drop(handle);
        settle(&child, &mut child_end).await;
        tokio::task::yield_now().await;
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("call=1 handler=\"t/handler.js\" bytes=13"), "{lines:?}");
}

#[test]
fn a_result_between_the_limit_and_the_stop_is_quarantined() {
    let lines = quarantined(async || {
        let (child, mut child_end) = child().await;
        let handle = open(&child);
        child_end.hear().await;
        child_end.returns(1, &json!(SECRET)).await;
        settle(&child, &mut child_end).await;
        // The result has arrived but was not read.
        assert!(!handle.give_up());
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn a_result_in_time_is_delivered_without_a_warning() {
    let lines = quarantined(async || {
        let (child, mut child_end) = child().await;
        settle(&child, &mut child_end).await;
    });
    assert_eq!(lines, Vec::<String>::new());
}
