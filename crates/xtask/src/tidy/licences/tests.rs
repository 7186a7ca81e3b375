//! How expressions of licences are read.

use std::collections::BTreeSet;

use super::is_allowed;

#[test]
fn one_allowed_choice_on_each_side_is_enough() {
    let allow: BTreeSet<_> =
        ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "ISC"].map(str::to_owned).into();
    let check = |licence, expected| assert_eq!(is_allowed(licence, &allow), expected, "{licence}");
    check("MIT", true);
    check("MIT/Apache-2.0", true);
    check("GPL-3.0 OR MIT", true);
    check("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true);
    check("MIT AND ISC", true);
    check("(MIT OR GPL-2.0) AND ISC", true);
    check("MIT AND GPL-2.0", false);
    check("(MIT OR ISC) AND GPL-2.0", false);
    check("GPL-3.0", false);
    check("", false);
}
