//! Rate limits: a token bucket for each key.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The buckets of all callers, or of all addresses.
pub(crate) struct RateLimit {
    burst: f64,
    per_second: f64,
    /// Never held across an await.
    buckets: Mutex<BTreeMap<String, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

/// Above this, full buckets are dropped; a new one is full too.
const BUCKETS_MAX: usize = 10_000;

impl RateLimit {
    pub(crate) fn new(burst: u32, per_second: u32) -> Self {
        Self { burst: burst.into(), per_second: per_second.into(), buckets: Mutex::default() }
    }

    /// Takes a token from the bucket, if there is one.
    pub(crate) fn take(&self, whose: &str, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(whose) {
            buckets.retain(|_, bucket| self.left(bucket, now) < self.burst);
            if buckets.len() >= BUCKETS_MAX {
                return false;
            }
        }
        let fresh = || Bucket { left: self.burst, at: now };
        let bucket = buckets.entry(whose.to_owned()).or_insert_with(fresh);
        bucket.left = self.left(bucket, now);
        bucket.at = now;
        let may = bucket.left >= 1.0;
        if may {
            bucket.left -= 1.0;
        }
        may
    }

    fn left(&self, bucket: &Bucket, now: Instant) -> f64 {
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.left + since * self.per_second).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{BUCKETS_MAX, RateLimit};

    #[test]
    fn each_key_has_its_own_bucket_which_refills() {
        let (rate, now) = (RateLimit::new(2, 1), Instant::now());
        assert_eq!([(); 3].map(|()| rate.take("ana", now)), [true, true, false]);
        assert!(rate.take("ben", now));
        assert!(rate.take("ana", now + Duration::from_secs(1)));
        assert!(!rate.take("ana", now + Duration::from_secs(1)));
    }

    #[test]
    fn the_number_of_buckets_is_limited() {
        let (rate, now) = (RateLimit::new(1, 1), Instant::now());
        for at in 0..BUCKETS_MAX {
            assert!(rate.take(&at.to_string(), now));
        }
        assert!(!rate.take("one more", now));
        assert!(rate.take("one more", now + Duration::from_secs(2)));
        assert_eq!(rate.buckets.lock().unwrap().len(), 1);
    }
}
