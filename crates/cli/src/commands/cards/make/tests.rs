//! Amounts of money on the command line.

use super::dollars;

#[test]
fn money_is_read_exactly() {
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(dollars(text).ok().map(|cost| cost.to_string()).as_deref(), expected, "{text}");
    };
    check("1.00", Some("$1.0000"));
    check("$2", Some("$2.0000"));
    check(".5", Some("$0.5000"));
    check("0.0001", Some("$0.0001"));
    check("1.00001", None);
    check("-1", None);
    check("1,5", None);
    check("", None);
    check("one", None);
}
