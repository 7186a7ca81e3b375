//! How often an owner may ask: a bucket of requests that fills again each second.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The buckets of all owners.
pub(crate) struct Rate {
    burst: f64,
    per_second: f64,
    /// Held for one look; there are as many owners as tokens.
    buckets: Mutex<BTreeMap<String, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Rate {
    pub(crate) fn new(burst: u32, per_second: u32) -> Self {
        Self { burst: burst.into(), per_second: per_second.into(), buckets: Mutex::default() }
    }

    /// Takes one request out of the owner's bucket, if there is one left.
    pub(crate) fn take(&self, owner: &str, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || Bucket { left: self.burst, at: now };
        let bucket = buckets.entry(owner.to_owned()).or_insert_with(fresh);
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.left = (bucket.left + since * self.per_second).min(self.burst);
        bucket.at = now;
        let may = bucket.left >= 1.0;
        if may {
            bucket.left -= 1.0;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Rate;

    #[test]
    fn a_bucket_empties_and_fills_again_for_its_owner_alone() {
        let (rate, now) = (Rate::new(2, 1), Instant::now());
        assert_eq!([(); 3].map(|()| rate.take("ana", now)), [true, true, false]);
        assert!(rate.take("ben", now));
        assert!(rate.take("ana", now + Duration::from_secs(1)));
        assert!(!rate.take("ana", now + Duration::from_secs(1)));
    }
}
