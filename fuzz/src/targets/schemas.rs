//! The schema compiler: any JSON is compiled for every provider or refused, always with the
//! same bytes, and what it accepts by itself it accepts again.

use dialect::{Arguments, Strictness, ToolSet, ToolSource, UnknownArguments, normalise, targets};
use serde_json::{Value, json};
use testkit::corpus::cases;

use super::{Check, Target};

pub(super) const TARGET: Target =
    Target { name: "schemas", seeds, words: WORDS, check: || -> Check { Box::new(check) } };

const WORDS: &[&str] = &[
    "\"$ref\":\"#\",",
    "\"$ref\":\"#/$defs/a\",",
    "\"$defs\":{\"a\":{\"$ref\":\"#/properties/b\"}},",
    "\"$dynamicRef\":\"#n\",",
    "\"$dynamicAnchor\":\"n\",",
    "\"$schema\":\"http://json-schema.org/draft-04/schema#\",",
    "\"type\":\"object\",",
    "\"type\":[\"integer\",\"null\"],",
    "\"properties\":{\"a\":true,\"b\":false},",
    "\"required\":[\"a\",\"a\"],",
    "\"enum\":[1,1.0,\"1\",null],",
    "\"const\":{},",
    "\"oneOf\":[{},{}],",
    "\"anyOf\":[],",
    "\"allOf\":[{\"type\":\"string\"}],",
    "\"not\":{},",
    "\"if\":{},\"then\":{},\"else\":false,",
    "\"pattern\":\"^(a+)+$\",",
    "\"pattern\":\"[\",",
    "\"patternProperties\":{\"^x\":{}},",
    "\"additionalProperties\":{},",
    "\"default\":null,",
    "\"items\":[{},{}],",
    "\"prefixItems\":[{}],",
    "\"minimum\":1e308,",
    "\"multipleOf\":0,",
    "\"maxLength\":-1,",
    "\"format\":\"date-time\",",
    "[[[[",
    "{\"properties\":{\"a\":",
];

fn seeds() -> Vec<Vec<u8>> {
    cases().into_iter().map(|case| case.schema.to_string().into_bytes()).collect()
}

fn check(input: &[u8]) -> Result<(), String> {
    let Ok(schema) = serde_json::from_slice::<Value>(input) else { return Ok(()) };
    let source = ToolSource {
        name: "tool",
        description: "Does something.",
        parameters: &schema,
        strict: Strictness::Wanted,
    };
    let tools = [source];
    for target in targets() {
        let first = ToolSet::read(&tools).compile(target);
        let second = ToolSet::read(&tools).compile(target);
        if first.tools_field() != second.tools_field() {
            return Err(format!("{}: two compilations differ", target.name));
        }
    }
    if let Ok(once) = normalise(&schema) {
        let twice = normalise(&once.schema).map_err(|faults| format!("{faults:?}"))?;
        if once.schema != twice.schema {
            return Err("normalising twice is not normalising once".to_owned());
        }
    }
    let Ok(arguments) = Arguments::compile(&schema) else { return Ok(()) };
    for value in [json!({}), json!({ "a": 1, "b": "x" }), json!(null), json!([1, "a"])] {
        let Ok(checked) = arguments.check(value, UnknownArguments::Refuse) else { continue };
        let complaints = arguments.complaints(&checked.args);
        if !complaints.is_empty() {
            return Err(format!("accepted {} and complains of it: {complaints:?}", checked.args));
        }
    }
    Ok(())
}
