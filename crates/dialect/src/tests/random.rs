//! Random schemas and values, at every target: never narrower, always the same bytes.

use proptest::prelude::*;
use serde_json::Value;

use super::dice::Dice;
use super::wire::{compile_one, refusals, validator, wire_validator};
use crate::plan::closed;
use crate::{
    Arguments, CheckedArguments, Complaint, UnknownArguments, normalise, same_value, targets,
};

/// How many values are tried on each schema.
const VALUES: usize = 12;

/// How many schemas are tried; more with `RANDOM_CASES`.
#[expect(clippy::disallowed_methods, reason = "a switch for longer runs")]
fn cases() -> u32 {
    std::env::var("RANDOM_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(60)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        max_shrink_iters: 3_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_allowed_value_round_trips_at_every_target(
        choices in prop::collection::vec(any::<u16>(), 0..120),
        values in prop::collection::vec(prop::collection::vec(any::<u16>(), 0..60), VALUES),
    ) {
        let contract = Dice::new(&choices).contract();
        let values: Vec<Value> =
            values.iter().map(|list| Dice::new(list).value(&contract, &contract, 0)).collect();
        check(&contract, &values).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn a_default_never_invalidates_a_call(
        choices in prop::collection::vec(any::<u16>(), 0..120),
        values in prop::collection::vec(prop::collection::vec(any::<u16>(), 0..40), VALUES),
    ) {
        let mut dice = Dice::new(&choices);
        let mut contract = dice.contract();
        dice.sprinkle_defaults(&mut contract);
        for list in &values {
            let value = Dice::new(list).value(&contract, &contract, 0);
            check_filling(&contract, value).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn normalising_is_idempotent(
        choices in prop::collection::vec(any::<u16>(), 0..120),
    ) {
        if let Ok(once) = normalise(&Dice::new(&choices).contract()) {
            let twice = normalise(&once.schema).map_err(|faults| TestCaseError::fail(format!("{faults:?}")))?;
            prop_assert_eq!(once.schema.to_string(), twice.schema.to_string());
        }
    }

    #[test]
    fn any_json_is_a_schema_or_a_fault(
        choices in prop::collection::vec(any::<u16>(), 0..60),
    ) {
        let junk = Dice::new(&choices).junk(0);
        for target in targets() {
            let _ = compile_one(&junk, target);
        }
    }
}

/// Filling in defaults keeps all given values, and adds no fault.
fn check_filling(contract: &Value, value: Value) -> Result<(), String> {
    let Ok(arguments) = Arguments::compile(contract) else { return Ok(()) };
    let before = arguments.complaints(&value);
    match arguments.check(value.clone(), UnknownArguments::Refuse) {
        Ok(CheckedArguments { args, .. }) if keeps(&value, &args) => Ok(()),
        Ok(CheckedArguments { args, .. }) => Err(format!("{contract}: {value} became {args}")),
        Err(rejection) if before.is_empty() => {
            Err(format!("{contract}: {value} was valid, and now {rejection}"))
        }
        Err(rejection) => {
            let known = |one: &Complaint| {
                before
                    .iter()
                    .any(|other| (&other.pointer, &other.keyword) == (&one.pointer, &one.keyword))
            };
            match rejection.0.iter().find(|one| before.len() < 20 && !known(one)) {
                Some(new) => Err(format!("{contract}: {value} is blamed for {new}")),
                None => Ok(()),
            }
        }
    }
}

/// Whether the second value is the first, with more properties.
fn keeps(original: &Value, filled: &Value) -> bool {
    match (original, filled) {
        (Value::Object(original), Value::Object(filled)) => original
            .iter()
            .all(|(name, value)| filled.get(name).is_some_and(|other| keeps(value, other))),
        (Value::Array(original), Value::Array(filled)) => {
            original.len() == filled.len() && original.iter().zip(filled).all(|(a, b)| keeps(a, b))
        }
        (original, filled) => original == filled,
    }
}

fn check(contract: &Value, values: &[Value]) -> Result<(), String> {
    let Ok(normalised) = normalise(contract) else { return Ok(()) };
    let judges = [validator(&normalised.schema)?, validator(&closed(&normalised.schema))?];
    for target in targets() {
        let place = format!("{} of {contract}", target.name);
        let Ok(tool) = compile_one(contract, target) else { continue };
        let again = compile_one(contract, target).map_err(|_| format!("{place}: not the same"))?;
        if again.wire != tool.wire {
            return Err(format!("{place}: two runs gave different bytes"));
        }
        if let Some(refusal) = refusals(contract, target).first() {
            return Err(format!("{place}: {refusal:?} in {}", tool.wire));
        }
        let wire_rules = wire_validator(target, tool.schema());
        for value in values {
            // Decoding always ends, and no value is encoded as another.
            let _ = tool.plan.decode(value);
            let wire = tool.plan.encode(value).ok();
            if let Some(back) = wire.and_then(|wire| tool.plan.decode(&wire).ok())
                && !same_value(&back, value)
            {
                return Err(format!("{place}: {value} was encoded into {back}"));
            }
        }
        for value in values.iter().filter(|value| value.is_object()) {
            if !judges.iter().all(|judge| judge.is_valid(value)) {
                continue;
            }
            let wire = tool
                .plan
                .encode(value)
                .map_err(|fault| format!("{place}: {value}: {fault}; {}", tool.wire))?;
            if let Err(error) = wire_rules.validate(&wire) {
                return Err(format!("{place}: {value} as {wire}: {error}; {}", tool.wire));
            }
            let back = tool.plan.decode(&wire).map_err(|fault| format!("{place}: {fault}"))?;
            if !same_value(&back, value) {
                return Err(format!("{place}: {value} came back as {back}"));
            }
        }
    }
    Ok(())
}
