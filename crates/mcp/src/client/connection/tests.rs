//! Backoff after repeated failures.

use super::{BACKOFF_MAX, State};

#[test]
fn the_first_failure_causes_no_pause_and_later_pauses_grow_to_a_limit() {
    let mut state = State::default();
    state.failed("once".to_owned());
    assert_eq!(state.backoff_left(), None);
    let mut before = std::time::Duration::ZERO;
    for _ in 0..30 {
        state.failed("again".to_owned());
        let rest = state.backoff_left().unwrap();
        assert!(rest <= BACKOFF_MAX && rest + std::time::Duration::from_millis(200) > before);
        before = rest;
    }
    assert!(before > BACKOFF_MAX / 2);
    assert_eq!(state.last, "again");
}
