//! Whether two JSON values are equal: `1` and `1.0` are, and the order of keys is ignored.

use serde_json::{Number, Value};

/// Equality as JSON Schema defines it.
pub fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, a)| right.get(key).is_some_and(|b| same_value(a, b)))
        }
        (left, right) => left == right,
    }
}

fn same_number(left: &Number, right: &Number) -> bool {
    if left == right {
        return true;
    }
    match (as_integer(left), as_integer(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left.as_f64() == right.as_f64(),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The number as an exact integer, if it is one.
pub(crate) fn as_integer(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    let value = number.as_f64()?;
    (value.fract() == 0.0 && value.abs() < 1e30).then_some(value as i128)
}
