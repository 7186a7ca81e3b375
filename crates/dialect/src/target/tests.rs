use super::{target, targets};

#[test]
fn every_target_is_found_by_its_name_and_falls_back_to_one_that_is_not_strict() {
    for each in targets() {
        assert!(std::ptr::eq(target(each.name).unwrap(), each));
        if let Some(fallback) = each.fallback {
            assert!(!target(fallback).unwrap().is_strict(), "{}", each.name);
        }
    }
    assert!(target("nowhere").is_none());
}
