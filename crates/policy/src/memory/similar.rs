//! Whether two sets of arguments ask for the same.

use std::collections::BTreeSet;

use contract::canonical;
use serde_json::Value;

/// The argument whose words may vary a little.
const QUERY: &str = "query";
/// How many percent of the distinct words both queries must share.
const SHARED_PERCENT_MIN: usize = 85;

/// Whether all arguments are equal, and the queries differ in a few words at most.
pub(super) fn same_question(earlier: &Value, now: &Value) -> bool {
    let queries = (query(earlier), query(now));
    match queries {
        (Some(earlier_query), Some(query)) => {
            without_query(earlier) == without_query(now) && similar(earlier_query, query)
        }
        _ => canonical(earlier) == canonical(now),
    }
}

fn query(args: &Value) -> Option<&str> {
    args.get(QUERY)?.as_str()
}

fn without_query(args: &Value) -> String {
    let mut rest = args.clone();
    if let Value::Object(fields) = &mut rest {
        fields.shift_remove(QUERY);
    }
    canonical(&rest)
}

/// The Jaccard index of the queries' words, in whole numbers: shared words over all words.
fn similar(earlier: &str, now: &str) -> bool {
    let (earlier_words, words) = (words(earlier), words(now));
    let shared = earlier_words.intersection(&words).count();
    let all = earlier_words.union(&words).count();
    match all {
        0 => earlier == now,
        all => shared * 100 >= all * SHARED_PERCENT_MIN,
    }
}

/// The distinct words of a text, in lower case.
fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
