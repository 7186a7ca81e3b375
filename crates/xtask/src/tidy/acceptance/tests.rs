//! Which words of a line refer to a row or to a requirement.

use super::{referred, requirement, rows};

#[test]
fn names_of_tests_refer_to_rows() {
    let rows = rows("| row | holds |\n| --- | --- |\n| TK-04 | versions |\n| GD-01 | tools |\n");
    assert_eq!(rows.iter().collect::<Vec<_>>(), ["GD-01", "TK-04"]);
    let check = |line: &str, expected: &[&str]| {
        assert_eq!(referred(line, &rows).collect::<Vec<_>>(), expected, "{line}");
    };
    check("fn tk_04_versions_do_not_depend_on_time() {", &["TK-04"]);
    check("fn gd_77_is_not_there() {", &["GD-77"]);
    check("let tk_4 = gd_010_x; let other_04_x = TK_04_X;", &[]);
}

#[test]
fn a_numbered_requirement_is_found() {
    assert_eq!(requirement("/// A guard that failed stops the call (R9)."), Some("R9"));
    assert_eq!(requirement("fn of(Result) -> (R, T) { (Rc, R2) }"), None);
}
