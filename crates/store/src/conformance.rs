//! The conformance suite: cases that every engine must pass.
//!
//! An engine's tests implement [`Subject`] and call [`all`]; an empty list of [`FailedCase`]
//! is a pass. A case may wait forever for a change that never comes, so run it under a test
//! runner with a time limit.

/// The table of a file's cases.
macro_rules! cases {
    ($($name:ident),+ $(,)?) => {
        pub(super) const CASES: &[super::Case] = &[$(super::Case {
            name: stringify!($name),
            run: |subject| Box::pin($name(subject)),
        }),+];
    };
}

mod kv;
mod lists;
mod log;
mod queue;
mod watch;

use std::fmt::Debug;
use std::panic::Location;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::task::JoinSet;

use crate::fault::StoreFault;
use crate::json::{BadJson, Json};
use crate::kv::{Expected, Expiry, Kv, Revision};
use crate::name::{BadName, Key};
use crate::store::{BoxFuture, Store};

/// An empty store under test, opened with `Limits::PORTABLE`, and its clock.
pub trait Subject: Send + Sync {
    fn store(&self) -> Arc<dyn Store>;
    /// Advances the store's clock.
    fn advance(&self, span: Duration) -> BoxFuture<'_, ()>;
}

/// A case that an engine did not pass.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{case}: {because}")]
pub struct FailedCase {
    pub case: &'static str,
    pub because: String,
}

/// Runs every case against an engine, each with a new store from `make`. Needs a tokio
/// runtime.
pub async fn all<S: Subject>(make: impl AsyncFn() -> S) -> Vec<FailedCase> {
    let mut broken = Vec::new();
    for Case { name, run } in cases() {
        let subject = make().await;
        if let Err(Because(because)) = run(&subject).await {
            broken.push(FailedCase { case: name, because });
        }
    }
    broken
}

/// The names of all cases, in the order in which they run.
pub fn names() -> Vec<&'static str> {
    cases().map(|case| case.name).collect()
}

fn cases() -> impl Iterator<Item = Case> {
    [kv::CASES, lists::CASES, watch::CASES, log::CASES, queue::CASES]
        .into_iter()
        .flat_map(|cases| cases.iter().copied())
}

/// One case.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    run: for<'a> fn(&'a dyn Subject) -> BoxFuture<'a, Passed>,
}

type Passed = Result<(), Because>;

/// Why a case did not pass.
#[derive(Debug)]
struct Because(String);

impl From<StoreFault> for Because {
    #[track_caller]
    fn from(fault: StoreFault) -> Self {
        Because(format!("{}: unexpected fault: {fault}", Location::caller()))
    }
}

impl From<BadName> for Because {
    fn from(bad: BadName) -> Self {
        Because(bad.to_string())
    }
}

impl From<BadJson> for Because {
    fn from(bad: BadJson) -> Self {
        Because(bad.to_string())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a case reads best by value")]
#[track_caller]
fn same<T: PartialEq + Debug>(found: T, expected: T) -> Passed {
    match found == expected {
        true => Ok(()),
        false => {
            Err(Because(format!("{}: found {found:?}, expected {expected:?}", Location::caller())))
        }
    }
}

#[track_caller]
fn holds(what: bool) -> Passed {
    match what {
        true => Ok(()),
        false => Err(Because(format!("{}: does not hold", Location::caller()))),
    }
}

/// Runs `many` tasks concurrently and returns their results, in any order.
async fn at_once<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    many: u64,
    task: impl Fn(u64) -> F,
) -> Result<Vec<T>, Because> {
    let mut tasks: JoinSet<T> = (0..many).map(task).collect();
    let mut results = Vec::new();
    while let Some(result) = tasks.join_next().await {
        results.push(result.map_err(|error| Because(error.to_string()))?);
    }
    Ok(results)
}

/// Waits for both, in any order.
async fn both<A, B>(one: impl Future<Output = A>, two: impl Future<Output = B>) -> (A, B) {
    let (mut one, mut two) = (Box::pin(one), Box::pin(two));
    let (mut first, mut second) = (None, None);
    std::future::poll_fn(move |context| {
        if first.is_none()
            && let Poll::Ready(value) = one.as_mut().poll(context)
        {
            first = Some(value);
        }
        if second.is_none()
            && let Poll::Ready(value) = two.as_mut().poll(context)
        {
            second = Some(value);
        }
        match (first.take(), second.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            (a, b) => {
                (first, second) = (a, b);
                Poll::Pending
            }
        }
    })
    .await
}

/// Sets a value without preconditions.
async fn put(kv: &dyn Kv, key: &str, value: &str) -> Result<Revision, Because> {
    let (key, value): (Key, Json) = (key.parse()?, value.parse()?);
    Ok(kv.set(&key, value, Expected::Any, Expiry::Never).await?)
}

/// A JSON text that is one byte longer than a value, a record or a message may be.
fn too_large() -> Result<Json, Because> {
    Ok(Json::of(&"x".repeat(999_999))?)
}
