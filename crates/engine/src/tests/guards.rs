//! R9: a guard that fails or reads garbage denies. Guards read the store, so it fails here at
//! every single read and every single write, one after the other.

use std::sync::Mutex;

use store::{Revision, StoreFault};

use super::*;

/// A store that fails at one operation.
struct Failing {
    store: Arc<FaultyStore>,
    /// How often the handler had run at that operation.
    ran_before: Arc<Mutex<Option<usize>>>,
}

impl Failing {
    fn new(world: &World, failure: StoreFailure, at: usize) -> Self {
        let ran_before: Arc<Mutex<Option<usize>>> = Arc::default();
        let (ran, noted) = (Arc::clone(&world.ran), Arc::clone(&ran_before));
        let on_failure = move || {
            noted.lock().unwrap().get_or_insert(ran.load(Ordering::SeqCst));
        };
        let inner = Arc::clone(&world.store);
        let store = FaultyStore::new(inner, (failure, at), Counted::Keys, on_failure);
        Self { store: Arc::new(store), ran_before }
    }

    fn ran_before(&self) -> Option<usize> {
        *self.ran_before.lock().unwrap()
    }
}

/// Asks, approves and resumes with a store that fails at one operation. Returns how often the
/// handler had run by then; none if the operation was not reached.
async fn ran_at(failure: StoreFailure, at: usize) -> Option<usize> {
    let world = World::new();
    let failing = Failing::new(&world, failure, at);
    let approve = json!({"answer": "approve"});
    let engine = world.engine(failing.store.clone());
    let outcome = answered(&engine, &approve).await;
    engine.flush().await;
    let ran_before = failing.ran_before();
    let place = format!("{failure:?} at operation {at}");
    if ran_before == Some(0) {
        assert_eq!(world.ran(), 0, "{place}: a handler was started without its guard");
        assert!(outcome.is_none_or(|outcome| outcome.is_err()), "{place}");
    }
    assert!(world.ran() <= 1, "{place}");
    // Whatever state it left: with a working store it still happens at most once.
    let engine = world.working();
    for _ in 0..3 {
        answered(&engine, &approve).await;
    }
    assert!(world.ran() <= 1, "{place}: it ran {} times", world.ran());
    ran_before
}

#[tokio::test]
async fn a_guard_that_fails_never_starts_a_handler() {
    for failure in [StoreFailure::Once, StoreFailure::Forever, StoreFailure::Unsure] {
        let (mut at, mut before, mut after) = (0, 0, 0);
        while let Some(ran) = ran_at(failure, at).await {
            *if ran == 0 { &mut before } else { &mut after } += 1;
            at += 1;
        }
        // Session state, ledger, question, answer, approval, the steps of the ledger.
        assert!(before >= 6 && after >= 1, "{failure:?}: {before} before the start, {after} after");
    }
}

/// A handler runs only if what was read as garbage did not guard it.
#[tokio::test]
async fn a_guard_that_reads_garbage_never_starts_a_handler() {
    let (mut at, mut denied) = (0, 0);
    loop {
        let world = World::new();
        // Everything that a guard reads exists already.
        let asked = world.working().settle(&origin(), &call()).await;
        let Some(Waiting::Approval(asked)) = asked.waiting else { panic!("nobody was asked") };
        let payload = json!({"request": asked.request.id, "answer": "approve"}).to_string();
        let engine = world.working();
        engine.answer(&payload).await.unwrap();
        engine.flush().await;
        let failing = Failing::new(&world, StoreFailure::Garbage, at);
        let settled = world.engine(failing.store.clone()).settle(&origin(), &call()).await;
        let Some(ran_before) = failing.ran_before() else { break };
        assert!(world.ran() <= 1);
        if settled.outcome.is_err() {
            assert_eq!(world.ran(), 0, "operation {at}: {settled:?}");
            denied += usize::from(ran_before == 0);
        }
        at += 1;
    }
    assert!(
        denied >= 3,
        "session state, question and its index are guards: {denied} of {at} denied"
    );
}

/// A tool that another process switches off is off here too, whatever happened to the watch.
#[tokio::test]
async fn a_switch_applies_after_its_watch_ended() {
    let unusable = StoreFault::Unusable { because: "the disk is full".into() };
    for fault in [StoreFault::Forgotten { through: Revision(1) }, unusable] {
        let world = World::new();
        let store = Arc::new(FaultyStore::working(Arc::clone(&world.store)));
        let engine = world.engine(store.clone());
        assert_eq!(engine.why_off("line_add").await.unwrap(), None);
        store.end_watches(fault.clone());
        world.working().switch("line_add", Some("it is broken")).await.unwrap();
        let noticed = async {
            while engine.why_off("line_add").await.unwrap().is_none() {
                tokio::task::yield_now().await;
            }
        };
        let noticed = tokio::time::timeout(Duration::from_secs(30), noticed).await;
        assert!(noticed.is_ok(), "{fault}: the switch does not apply");
    }
}
