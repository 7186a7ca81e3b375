//! Which lines are reported, and which only look alike.

use super::faults;

#[test]
fn a_forbidden_word_is_reported_with_the_word_to_use() {
    let check = |line: &str, expected: &[&str]| assert_eq!(faults(line), expected, "{line}");
    check("`x` is no valid email", &["`is no valid`: write is not a valid"]);
    check("found 1 tools", &["`1 tools`: write 1 tool"]);
    check("found 11 tools, 21 tools", &[]);
    check("pub struct Void;", &["`Void`: write `InvalidApproval`"]);
    check("pub(crate) mod carry;", &["`carry`: write passthrough"]);
    check("struct Voided; mod carry_over; enum CircleOfFifths {}", &[]);
    check("// struct Void was its name", &[]);
}
