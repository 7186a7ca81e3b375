//! How fast a client may send: a bucket that fills with time.

use std::time::Duration;

use tokio::time::Instant;

/// A bucket of units; each message takes some.
#[derive(Debug)]
pub(crate) struct Pace {
    size: f64,
    per_second: f64,
    left: f64,
    filled_at: Instant,
}

impl Pace {
    pub(crate) fn new(size: f64, per_second: f64, now: Instant) -> Self {
        Self { size, per_second, left: size, filled_at: now }
    }

    /// For audio: a little more than real time, and so much at once.
    pub(crate) fn audio(rate: u32, ahead: Duration, now: Instant) -> Self {
        let rate = f64::from(rate);
        Self::new(rate * ahead.as_secs_f64(), rate * 1.25, now)
    }

    /// Whether this many units may pass now.
    pub(crate) fn take(&mut self, units: f64, now: Instant) -> bool {
        let passed = now.duration_since(self.filled_at).as_secs_f64();
        self.filled_at = now;
        self.left = (self.left + passed * self.per_second).min(self.size);
        let fits = units <= self.left;
        if fits {
            self.left -= units;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Pace;

    #[test]
    fn a_burst_passes_and_then_the_rate_counts() {
        let start = Instant::now();
        let mut pace = Pace::new(10.0, 5.0, start);
        assert!(pace.take(10.0, start));
        assert!(!pace.take(1.0, start));
        let later = start + Duration::from_secs(1);
        assert!(pace.take(5.0, later));
        assert!(!pace.take(1.0, later));
        assert!(pace.take(10.0, later + Duration::from_secs(60)), "never more than the burst");
        assert!(!pace.take(1.0, later + Duration::from_secs(60)));
    }
}
