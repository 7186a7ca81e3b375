//! Limits of service requests.

use super::*;

fn small() -> Meter {
    let chunks = FloodLimits { chunks_max: 2, chunk_bytes_max: 10, ..FloodLimits::default() };
    Meter::new(FloodLimits { calls_max: 5, calls_open_max: 3, bytes_max: 100, ..chunks })
}

#[track_caller]
fn check(asks: &[(&str, u32, usize)], expected: Result<(), &str>) {
    let mut meter = small();
    let outcome = asks.iter().try_for_each(|(name, n, bytes)| meter.ask(name, *n, *bytes));
    assert_eq!(outcome, expected.map_err(str::to_owned));
}

#[test]
fn the_first_request_above_a_limit_names_it() {
    check(&[("kv.get", 1, 10); 3], Ok(()));
    check(&[("kv.get", 1, 10); 4], Err("3 service calls at once"));
    check(&[("audit.log", 0, 10); 5], Ok(()));
    check(&[("audit.log", 0, 10); 6], Err("5 service calls"));
    check(&[("audit.log", 0, 101)], Err("100 bytes sent to services"));
    check(&[("chunk", 1, 5); 2], Ok(()));
    check(&[("chunk", 1, 1); 3], Err("2 chunks"));
    check(&[("chunk", 1, 11)], Err("10 bytes of chunks"));
}

#[test]
fn an_answer_frees_a_slot() {
    let mut meter = small();
    for _ in 0..5 {
        meter.ask("kv.get", 1, 1).unwrap();
        meter.answered();
    }
    assert_eq!(meter.open(), 0);
}
