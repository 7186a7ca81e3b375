//! A clock that only waiting moves.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use contract::BoxFuture;
use models::Clock;

#[derive(Default)]
pub(crate) struct FakeClock {
    waits: Mutex<Vec<Duration>>,
}

impl FakeClock {
    pub(crate) fn waits(&self) -> Vec<u128> {
        self.waits.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

impl Clock for FakeClock {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.waits.lock().unwrap().iter().sum::<Duration>()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        self.waits.lock().unwrap().push(time);
        Box::pin(std::future::ready(()))
    }

    fn dice(&self) -> f64 {
        0.0
    }
}
