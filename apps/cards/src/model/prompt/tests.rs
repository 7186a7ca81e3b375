//! FC-01, FC-02, FC-21: the tool definition.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{NumberedSentence, ask, emit_flashcards_tool, tool_definition};
use crate::model::ask_settings::AskSettings;
use crate::text::language::Pair;

fn tool() -> Value {
    emit_flashcards_tool(&"lv".parse().unwrap(), &AskSettings::usual())
}

#[test]
fn fc_01_the_tool_has_a_name_a_description_and_a_schema() {
    let tool = tool();
    assert_eq!(tool["name"], "emit_flashcards");
    let description = tool["description"].as_str().unwrap();
    assert!(description.chars().count() > 50);
    assert!(description.chars().any(|c| ('а'..='я').contains(&c)));
    assert!(description.contains("латышского языка"));
}

#[test]
fn fc_01_the_schema_is_an_object_with_a_list_of_at_least_one_card() {
    let schema = &tool()["input_schema"];
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["properties"]["flashcards"]["type"], "array");
    assert_eq!(schema["properties"]["flashcards"]["minItems"], 1);
    assert_eq!(schema["required"], json!(["flashcards"]));
    let text = schema.to_string();
    assert!(!text.contains("$schema") && !text.contains("$ref"), "{text}");
}

#[test]
fn fc_01_a_card_is_as_the_seed_has_it() {
    let tool = tool();
    let card = &tool["input_schema"]["properties"]["flashcards"]["items"];
    let required: Vec<_> = card["required"].as_array().unwrap().iter().collect();
    assert_eq!(card["type"], "object");
    assert_eq!(card["properties"]["base_form"]["type"], "string");
    assert_eq!(card["properties"]["unit"]["enum"], json!(["word", "phrase"]));
    assert_eq!(card["properties"]["base_translation"]["type"], "string");
    assert!(!required.contains(&&json!("base_translation")));
    assert!(required.contains(&&json!("contexts")));
    assert_eq!(card["properties"]["contexts"]["type"], "array");
    assert_eq!(card["properties"]["visible"]["default"], true);
    // A field with a default is not required.
    assert!(!required.contains(&&json!("visible")) && !required.contains(&&json!("unit")));
}

#[test]
fn fc_01_the_tool_is_the_same_every_time() {
    assert_eq!(tool().to_string(), tool().to_string());
}

#[test]
fn fc_02_types_become_schemas_as_the_table_says() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Every {
        /// Said of it.
        text: String,
        number: f64,
        truth: bool,
        #[schemars(length(min = 2))]
        list: Vec<String>,
        object: Inner,
        choice: Choice,
        #[schemars(with = "String")]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        perhaps: Option<String>,
        #[serde(default = "seven")]
        preset: u8,
    }
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Inner {
        a: String,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Choice {
        One,
        Two,
    }
    fn seven() -> u8 {
        7
    }
    let tool = tool_definition::<Every>("every", "All kinds.");
    let schema = &tool["input_schema"];
    let property = |name: &str| schema["properties"][name].clone();
    assert_eq!(property("text"), json!({ "type": "string", "description": "Said of it." }));
    assert_eq!(property("number")["type"], "number");
    assert_eq!(property("truth")["type"], "boolean");
    assert_eq!(
        (&property("list")["type"], &property("list")["minItems"]),
        (&json!("array"), &json!(2))
    );
    assert_eq!(property("object")["properties"]["a"]["type"], "string");
    assert_eq!(property("choice")["enum"], json!(["one", "two"]));
    assert_eq!(property("preset")["default"], 7);
    let required: Vec<_> = schema["required"].as_array().unwrap().iter().collect();
    assert!(!required.contains(&&json!("perhaps")) && !required.contains(&&json!("preset")));
}

#[test]
fn fc_21_languages_are_parameters_and_only_the_input_differs() {
    let pair = Pair { from: "de".parse().unwrap(), to: "en".parse().unwrap() };
    let ask = |index: usize, text: &str| {
        let lines = [NumberedSentence { index, text }];
        ask(&pair, &lines, &AskSettings::usual(), 1_024).unwrap()
    };
    let (one, two) = (ask(0, "Ein\nHund."), ask(7, "Eine Katze."));
    assert!(one.instructions.contains("German") && one.instructions.contains("English"));
    assert!(!one.instructions.contains("Latvian") && !one.description.contains("латыш"));
    assert_eq!((one.input.as_str(), two.input.as_str()), ("[0] Ein Hund.", "[7] Eine Katze."));
    assert_eq!((&one.instructions, &one.description), (&two.instructions, &two.description));
}
