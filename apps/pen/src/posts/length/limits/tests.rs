//! The document has the table of limits, and every date in it is a date.

use super::{Limits, Platform};

#[test]
fn the_document_has_the_limits_of_every_platform() {
    let document = include_str!("../../../../../../docs/guide/pen.md");
    let count =
        |number: Option<usize>| number.map_or("–".to_owned(), |number| number.to_string());
    let mut table =
        "| platform | longest post | counted in | folded after | hashtags | checked |\n\
                     | --- | ---: | --- | ---: | ---: | --- |\n"
            .to_owned();
    for platform in Platform::ALL {
        let Limits { length, unit, fold, hashtags, checked, .. } = platform.limits();
        table += &format!(
            "| `{platform}` | {length} | {} | {} | {} | {checked} |\n",
            unit.as_str(),
            count(fold),
            count(hashtags)
        );
    }
    assert!(document.contains(&table), "put this table into docs/guide/pen.md:\n{table}");
}

#[test]
fn limits_are_dated_and_a_usual_post_fits() {
    for platform in Platform::ALL {
        let Limits { length, usual, checked, .. } = platform.limits();
        assert!(checked.parse::<jiff::civil::Date>().is_ok(), "{platform}: {checked}");
        assert!(usual <= length, "{platform}");
    }
}
