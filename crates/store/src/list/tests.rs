//! Lists, compared with a vector, and the bounds of ranges.

use proptest::prelude::*;

use super::*;

fn key() -> Key {
    "list".parse().unwrap()
}

fn entry(value: &str) -> KvEntry {
    let value = value.parse().unwrap();
    KvEntry { key: key(), value, revision: Revision(1), expires_at: None }
}

#[track_caller]
fn check_range(start: i64, stop: i64, expected: &str) {
    let found = range(&key(), Some(&entry("[0,1,2,3]")), start, stop).unwrap();
    assert_eq!(Json::of(&found).unwrap().as_str(), expected, "{start}..={stop}");
}

#[test]
fn a_range_counts_from_both_ends_and_is_limited_to_the_list() {
    check_range(0, -1, "[0,1,2,3]");
    check_range(1, 2, "[1,2]");
    check_range(-2, -1, "[2,3]");
    check_range(-9, 0, "[0]");
    check_range(2, 99, "[2,3]");
    check_range(3, 1, "[]");
    check_range(4, 9, "[]");
    check_range(0, -5, "[]");
    check_range(i64::MIN, i64::MAX, "[0,1,2,3]");
    check_range(i64::MAX, i64::MIN, "[]");
    assert_eq!(range(&key(), None, 0, -1).unwrap(), []);
}

#[test]
fn other_values_are_not_lists() {
    for value in ["{}", "1", "null", "\"[]\""] {
        let value: Json = value.parse().unwrap();
        let fault = ListEdit::PopLeft.apply(&key(), Some(&value), &Limits::PORTABLE).unwrap_err();
        assert_eq!(fault, StoreFault::NotAList { key: key() });
    }
}

#[test]
fn a_list_has_limits() {
    let limits = Limits { list_items_max: 2, value_bytes_max: 8, ..Limits::PORTABLE };
    let push = |items: &[i64]| {
        let items = items.iter().map(|item| Json::of(item).unwrap()).collect();
        ListEdit::PushRight(items).apply(&key(), None, &limits).map(|change| change.len)
    };
    assert_eq!(push(&[1, 2]), Ok(2));
    assert_eq!(
        push(&[1, 2, 3]),
        Err(StoreFault::TooLarge { what: SizedItem::List, size: 3, max: 2 })
    );
    let too_long = StoreFault::TooLarge { what: SizedItem::Value, size: 9, max: 8 };
    assert_eq!(push(&[1_234_567]), Err(too_long));
}

fn edits() -> impl Strategy<Value = Vec<ListEdit>> {
    let items = || prop::collection::vec(0..9i64, 0..3);
    let json = |items: Vec<i64>| items.iter().map(|item| Json::of(item).unwrap()).collect();
    let edit = prop_oneof![
        items().prop_map(move |items| ListEdit::PushLeft(json(items))),
        items().prop_map(move |items| ListEdit::PushRight(json(items))),
        Just(ListEdit::PopLeft),
        Just(ListEdit::PopRight),
        (-5..5i64).prop_map(ListEdit::RemoveAt),
    ];
    prop::collection::vec(edit, 0..20)
}

proptest! {
    #[test]
    fn a_list_behaves_like_a_vector(edits in edits()) {
        let mut model: Vec<Json> = Vec::new();
        let mut value: Option<Json> = None;
        for edit in edits {
            let mut take = |index: i64| {
                let len = model.len() as i64;
                let index = if index < 0 { index + len } else { index };
                (0..len).contains(&index).then(|| model.remove(index as usize))
            };
            let taken = match &edit {
                ListEdit::PopLeft => take(0),
                ListEdit::PopRight => take(-1),
                ListEdit::RemoveAt(index) => take(*index),
                ListEdit::PushLeft(items) => {
                    items.iter().for_each(|item| model.insert(0, item.clone()));
                    None
                }
                ListEdit::PushRight(items) => {
                    model.extend(items.iter().cloned());
                    None
                }
            };
            let change = edit.apply(&key(), value.as_ref(), &Limits::PORTABLE).unwrap();
            prop_assert_eq!(change.taken, taken);
            prop_assert_eq!(change.len, model.len());
            value = change.write.or(value);
            let items = value.as_ref().map(|value| value.to::<Vec<Json>>().unwrap());
            prop_assert_eq!(items.unwrap_or_default(), model.clone());
        }
    }
}
