//! The wire names of tools.

use super::wire_names;

#[track_caller]
fn check_names(ids: &[&str], expected: &[(&str, &str)]) {
    let names = wire_names(ids.to_vec());
    let names: Vec<_> = names.iter().map(|(id, name)| (*id, name.as_str())).collect();
    assert_eq!(names, expected);
}

#[test]
fn a_dot_becomes_an_underscore_and_no_two_names_are_the_same() {
    check_names(&["kb_search"], &[("kb_search", "kb_search")]);
    check_names(&["fs.read"], &[("fs.read", "fs_read")]);
    let both = [("a.b_c", "a_b_c"), ("a_b.c", "a_b_c_2")];
    check_names(&["a.b_c", "a_b.c"], &both);
    let plain_first = [("fs.read", "fs_read_2"), ("fs_read", "fs_read")];
    check_names(&["fs.read", "fs_read"], &plain_first);
}
