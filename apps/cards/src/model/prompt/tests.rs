//! FC-01, FC-02, FC-21: the tool definition.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Hints, NumberedSentence, ask, emit_flashcards_tool, tool_definition};
use crate::model::ask_settings::AskSettings;
use crate::text::language::Pair;

fn tool() -> Value {
    emit_flashcards_tool(&"lv".parse().unwrap(), &AskSettings::usual())
}

/// The seed's tests, section by section: 5.1.1, the definition.
mod seed_5_1_1 {
    use super::tool;

    #[test]
    fn it_has_a_name_a_description_and_an_input_schema() {
        let tool = tool();
        let keys: Vec<_> = tool.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["name", "description", "input_schema"]);
    }

    #[test]
    fn its_name_is_emit_flashcards() {
        assert_eq!(tool()["name"], "emit_flashcards");
    }

    #[test]
    fn its_description_is_in_russian() {
        let tool = tool();
        let description = tool["description"].as_str().unwrap();
        assert!(description.chars().count() > 50);
        assert!(description.chars().any(|c| ('а'..='я').contains(&c)));
        assert!(description.contains("латышского языка"));
    }
}

/// 5.1.2, the schema.
mod seed_5_1_2 {
    use serde_json::{Value, json};

    fn schema() -> Value {
        super::tool()["input_schema"].clone()
    }

    #[test]
    fn it_is_an_object() {
        assert_eq!(schema()["type"], "object");
    }

    #[test]
    fn it_has_flashcards() {
        assert!(schema()["properties"].get("flashcards").is_some());
    }

    #[test]
    fn flashcards_is_an_array() {
        assert_eq!(schema()["properties"]["flashcards"]["type"], "array");
    }

    #[test]
    fn flashcards_has_at_least_one() {
        assert_eq!(schema()["properties"]["flashcards"]["minItems"], 1);
    }

    #[test]
    fn only_flashcards_is_required() {
        assert_eq!(schema()["required"], json!(["flashcards"]));
    }

    #[test]
    fn it_names_no_schema() {
        assert!(schema().get("$schema").is_none());
    }
}

/// 5.1.3, a card.
mod seed_5_1_3 {
    use serde_json::{Value, json};

    fn card() -> Value {
        super::tool()["input_schema"]["properties"]["flashcards"]["items"].clone()
    }

    fn is_required(name: &str) -> bool {
        card()["required"].as_array().unwrap().contains(&json!(name))
    }

    #[test]
    fn it_is_an_object() {
        assert_eq!(card()["type"], "object");
    }

    #[test]
    fn it_has_a_base_form() {
        assert_eq!(card()["properties"]["base_form"]["type"], "string");
        assert!(is_required("base_form"));
    }

    #[test]
    fn its_unit_is_word_or_phrase() {
        assert_eq!(card()["properties"]["unit"]["enum"], json!(["word", "phrase"]));
    }

    #[test]
    fn its_base_translation_is_optional() {
        assert_eq!(card()["properties"]["base_translation"]["type"], "string");
        assert!(!is_required("base_translation"));
    }

    #[test]
    fn its_contexts_are_a_required_array() {
        assert_eq!(card()["properties"]["contexts"]["type"], "array");
        assert!(is_required("contexts"));
    }

    #[test]
    fn it_is_visible_by_default() {
        assert_eq!(card()["properties"]["visible"]["default"], true);
    }

    /// The seed's example requires what has a default; here a default means that it may be left
    /// out.
    #[test]
    fn what_has_a_default_is_not_required() {
        assert!(!is_required("visible") && !is_required("unit"));
    }
}

/// 5.1.4, what Claude takes.
mod seed_5_1_4 {
    use serde_json::Value;

    use super::tool;

    #[test]
    fn it_has_no_references() {
        assert!(!tool()["input_schema"].to_string().contains("$ref"));
    }

    #[test]
    fn it_is_json() {
        let text = tool().to_string();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), tool());
    }

    #[test]
    fn it_is_a_valid_schema() {
        let tool = tool();
        let arguments = dialect::Arguments::compile(&tool["input_schema"]).unwrap();
        let card = serde_json::json!({ "flashcards": [{ "base_form": "suns", "contexts": [] }] });
        assert!(arguments.complaints(&card).is_empty());
        assert!(!arguments.complaints(&serde_json::json!({ "flashcards": [] })).is_empty());
    }
}

/// 5.1.5, the same every time.
mod seed_5_1_5 {
    use super::tool;

    #[test]
    fn it_is_the_same_every_time() {
        assert_eq!(tool().to_string(), tool().to_string());
    }
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
        let lines = [NumberedSentence { index, text, known_bytes: 0 }];
        ask(&pair, &lines, &Hints::default(), &AskSettings::usual(), 1_024).unwrap()
    };
    let (one, two) = (ask(0, "Ein\nHund."), ask(7, "Eine Katze."));
    assert!(one.instructions.contains("German") && one.instructions.contains("English"));
    assert!(!one.instructions.contains("Latvian") && !one.description.contains("латыш"));
    assert_eq!((one.input.as_str(), two.input.as_str()), ("[0] Ein Hund.", "[7] Eine Katze."));
    assert_eq!((&one.instructions, &one.description), (&two.instructions, &two.description));
}
