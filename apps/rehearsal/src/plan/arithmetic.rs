//! Recognises simple arithmetic, and the tools whose schema can do it.
//!
//! In: a message. Out: an [`Arithmetic`], and its arguments for a tool that takes an expression
//! or an operation with two numbers. Must hold: a tool's name decides nothing.

use serde_json::{Map, Value};

use crate::arguments::fields::{Field, Fields, Form, Kind};
use crate::text::number::{number, to_json};
use crate::text::stem::stem;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arithmetic {
    /// As a calculator writes it: `12 * 7`.
    pub expression: String,
    /// Its two numbers, if it has two.
    pub pair: Option<(f64, Operation, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Operation {
    fn sign(self) -> char {
        match self {
            Operation::Add => '+',
            Operation::Subtract => '-',
            Operation::Multiply => '*',
            Operation::Divide => '/',
            Operation::Power => '^',
        }
    }

    fn names(self) -> &'static [&'static str] {
        match self {
            Operation::Add => &["add", "addition", "plus", "sum", "+"],
            Operation::Subtract => &["subtract", "subtraction", "minus", "sub", "-"],
            Operation::Multiply => {
                &["multiply", "multiplication", "times", "mul", "product", "*", "x", "×"]
            }
            Operation::Divide => &["divide", "division", "div", "quotient", "/", "÷"],
            Operation::Power => &["power", "pow", "exponent", "^", "**"],
        }
    }

    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "+" | "plus" | "плюс" | "додати" => Operation::Add,
            "-" | "−" | "–" | "minus" | "мінус" | "минус" | "відняти" => {
                Operation::Subtract
            }
            "*" | "×" | "x" | "х" | "times" | "помножити" | "умножить" | "помножене" => {
                Operation::Multiply
            }
            "/" | "÷" | "over" | "поділити" | "разделить" | "делить" => {
                Operation::Divide
            }
            "^" | "**" => Operation::Power,
            _ => return None,
        })
    }
}

const LEADS: [&str; 30] = [
    "what",
    "what's",
    "whats",
    "is",
    "how",
    "much",
    "calculate",
    "compute",
    "evaluate",
    "please",
    "the",
    "result",
    "of",
    "скільки",
    "буде",
    "порахуй",
    "обчисли",
    "дорівнює",
    "будь",
    "ласка",
    "сколько",
    "будет",
    "посчитай",
    "вычисли",
    "равно",
    "пожалуйста",
    "solve",
    "це",
    "это",
    "hey",
];
const BYTES_MAX: usize = 200;

impl Arithmetic {
    pub(crate) fn read(text: &str) -> Option<Self> {
        if text.len() > BYTES_MAX {
            return None;
        }
        let lower = text.trim().trim_end_matches(['?', '=', '.', '!', ' ']).to_lowercase();
        let tokens = tokens(&lower)?;
        let start = tokens.iter().position(|token| !LEADS.contains(&token.as_str()))?;
        let tokens = tokens.get(start..)?;
        Self::spoken(tokens).or_else(|| Self::written(tokens))
    }

    /// "multiply 6 by 7", "subtract 2 from 8".
    fn spoken(tokens: &[String]) -> Option<Self> {
        let [verb, first, link, second] = tokens else { return None };
        let (one, other) = (number(first)?, number(second)?);
        let linked = |links: &[&str]| links.contains(&link.as_str());
        let (operation, swapped) = match verb.as_str() {
            "add" | "sum" | "додай" | "склади" | "сложи" | "прибавь"
                if linked(&["and", "to", "і", "та", "до", "и", "к"]) =>
            {
                (Operation::Add, false)
            }
            "subtract" | "відніми" | "вычти" if linked(&["from", "від", "из"]) => {
                (Operation::Subtract, true)
            }
            "multiply" | "помнож" | "умножь" if linked(&["by", "and", "на"]) => {
                (Operation::Multiply, false)
            }
            "divide" | "поділи" | "раздели" if linked(&["by", "на"]) => {
                (Operation::Divide, false)
            }
            _ => return None,
        };
        let (one, other) = if swapped { (other, one) } else { (one, other) };
        Some(Self::of_pair(one, operation, other))
    }

    fn of_pair(one: f64, operation: Operation, other: f64) -> Self {
        let expression = format!("{one} {} {other}", operation.sign());
        Self { expression, pair: Some((one, operation, other)) }
    }

    /// Alternating numbers and operators, with optional brackets.
    fn written(tokens: &[String]) -> Option<Self> {
        let mut parts: Vec<String> = Vec::new();
        let mut found: Vec<f64> = Vec::new();
        let mut operations = Vec::new();
        let (mut open, mut brackets, mut wants_number) = (0_usize, false, true);
        for token in tokens {
            match (token.as_str(), wants_number) {
                ("(", true) => (open, brackets) = (open + 1, true),
                (")", false) => open = open.checked_sub(1)?,
                ("by" | "на", true) if !operations.is_empty() => continue,
                ("-" | "−", true) => {
                    parts.push("-".to_owned());
                    brackets = true;
                    continue;
                }
                (word, true) => {
                    let value = number(word)?;
                    found.push(value);
                    parts.push(value.to_string());
                    wants_number = false;
                    continue;
                }
                ("multiplied", false) => {
                    operations.push(Operation::Multiply);
                    wants_number = true;
                }
                ("divided", false) => {
                    operations.push(Operation::Divide);
                    wants_number = true;
                }
                (word, false) => {
                    operations.push(Operation::of(word)?);
                    wants_number = true;
                }
            }
            let sign = operations.last().filter(|_| !matches!(token.as_str(), "(" | ")"));
            parts
                .push(sign.map_or_else(|| token.clone(), |operation| operation.sign().to_string()));
        }
        if wants_number || open != 0 || operations.is_empty() {
            return None;
        }
        if let (&[one, other], &[operation], false) =
            (found.as_slice(), operations.as_slice(), brackets)
        {
            return Some(Self::of_pair(one, operation, other));
        }
        let expression = parts.join(" ").replace("( ", "(").replace(" )", ")");
        Some(Self { expression, pair: None })
    }

    /// The arguments for a tool that can compute this.
    pub(crate) fn args_for(&self, fields: &Fields<'_>) -> Option<Value> {
        let required: Vec<&Field<'_>> =
            fields.all.iter().filter(|field| field.is_required()).collect();
        let mut args = Map::new();
        let mut give = |field: &Field<'_>, value: Value| {
            let [name] = field.path.as_slice() else { return None };
            args.insert((*name).to_owned(), value);
            Some(())
        };
        match required.as_slice() {
            [field] if field.form() == Some(Form::Free) && takes_expression(field) => {
                give(field, Value::String(self.expression.clone()))?;
            }
            fields if fields.len() == 3 => {
                let (one, operation, other) = self.pair?;
                let sort = |field: &&&Field<'_>| matches!(field.kind, Kind::Choice(_));
                let chosen = fields.iter().find(sort)?;
                let Kind::Choice(choices) = chosen.kind else { return None };
                give(chosen, named(choices, operation)?.clone())?;
                let is_number =
                    |field: &&&Field<'_>| matches!(field.kind, Kind::Number | Kind::Integer);
                let mut numbers = fields.iter().filter(is_number);
                give(numbers.next()?, to_json(one)?)?;
                give(numbers.next()?, to_json(other)?)?;
            }
            _ => return None,
        }
        let args = Value::Object(args);
        fields.check_all(&args).is_ok().then_some(args)
    }
}

fn named(choices: &[Value], operation: Operation) -> Option<&Value> {
    choices.iter().find(|choice| {
        choice
            .as_str()
            .is_some_and(|name| operation.names().contains(&name.to_lowercase().as_str()))
    })
}

fn takes_expression(field: &Field<'_>) -> bool {
    ["expression", "formula", "expr", "equation"]
        .iter()
        .any(|word| field.stems.contains(&stem(word)))
}

/// Numbers, operators, brackets and words; none if there is anything else.
fn tokens(text: &str) -> Option<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let figure = c.is_ascii_digit()
            || (matches!(c, '.' | ',') && chars.peek().is_some_and(char::is_ascii_digit));
        let letter = c.is_alphabetic() || c == '\'';
        let fits_on = match current.chars().last() {
            Some(last) if figure => last.is_ascii_digit() || matches!(last, '.' | ','),
            Some(last) if letter => last.is_alphabetic() || last == '\'',
            _ => false,
        };
        if !fits_on && !current.is_empty() {
            found.push(std::mem::take(&mut current));
        }
        match c {
            _ if figure || letter => current.push(c),
            '*' if chars.peek() == Some(&'*') => {
                chars.next();
                found.push("**".to_owned());
            }
            '+' | '-' | '−' | '–' | '*' | '×' | '/' | '÷' | '^' | '(' | ')' => {
                found.push(c.to_string())
            }
            c if c.is_whitespace() || c == ',' => {}
            _ => return None,
        }
    }
    if !current.is_empty() {
        found.push(current);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::Arithmetic;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(Arithmetic::read(text).map(|sum| sum.expression).as_deref(), expected, "{text}");
    }

    #[test]
    fn arithmetic_is_distinguished_from_other_text() {
        check("2+2?", Some("2 + 2"));
        check("what is 12 * 7", Some("12 * 7"));
        check("What's 10 divided by 4?", Some("10 / 4"));
        check("multiply 6 by 7", Some("6 * 7"));
        check("subtract 2 from 8", Some("8 - 2"));
        check("скільки буде 3 плюс 4?", Some("3 + 4"));
        check("сколько будет 9 разделить на 3", Some("9 / 3"));
        check("(1 + 2) * 3", Some("(1 + 2) * 3"));
        check("2 + 3 * 4 =", Some("2 + 3 * 4"));
        check("2^10", Some("2 ^ 10"));
        check("five times six", Some("5 * 6"));
        check("3,5 + 1", Some("3.5 + 1"));
        check("2026-12-09 and more", None);
        check("what is love", None);
        check("2 +", None);
        check("(2 + 3", None);
        check("42", None);
        check("", None);
    }
}
