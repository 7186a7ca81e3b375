//! The keys of an item are the same here and in the Python runtime that reads modules.

use super::ITEM_KEYS;

const DESCRIBE: &str = include_str!("../../../../hosts/src/python/runtime/describe.py");

#[test]
fn the_runtime_knows_the_same_keys_of_an_item() {
    let (_, rest) = DESCRIBE.split_once("\nPARTS = (").unwrap();
    let list = rest.split(')').next().unwrap();
    let parts: Vec<_> = list.split('"').skip(1).step_by(2).collect();
    assert_eq!(parts, ITEM_KEYS);
}
