//! The model with an owner's settings: prompts, personas, sampling.
//!
//! The additions go into each request and are not in the log: they follow the current settings
//! and personas, and stay the same within a turn.

use std::sync::Arc;

use contract::{
    BoxFuture, Deltas, Model, ModelFacts, ModelFault, RejectedTool, ReplyFuture, Request,
    RungMemory, Sampling, Sight,
};
use conversation::{ConversationSettings, TurnOptions};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use policy::ConversationId;
use services::{Persona, PlaceholderNames};

use crate::fault::HandlerResult;
use crate::routes::settings::{Settings, settings_of};
use crate::state::AppState;

/// Which system prompt a request begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstPrompt {
    /// That of the conversation or of the owner, if there is one.
    OfOwner,
    /// Its own, which has that of the conversation or of the owner in it.
    OfRequest,
}

/// Who answers in this conversation, with its owner's settings.
pub(crate) async fn personalised(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    here: &ConversationSettings,
    first: FirstPrompt,
    by: TurnOptions,
) -> HandlerResult<TurnOptions> {
    let settings = settings_of(app, owner).await?;
    let personas = services::personas_in(app.engine.store(), owner, id).await?;
    let names = services::names_in(app.engine.store(), owner, id).await?;
    let now = settings.date_time.then(|| date_time(app.engine.now().0)).flatten();
    Ok(TurnOptions {
        sampling: sampling(&here.sampling, &settings.sampling.sampling()),
        output_tokens_max: here
            .max_tokens
            .or(settings.sampling.max_tokens)
            .or(by.output_tokens_max),
        model: Arc::new(PersonalisedModel {
            first: match first {
                FirstPrompt::OfOwner => {
                    here.system_prompt.clone().or_else(|| settings.system_prompt.clone())
                }
                FirstPrompt::OfRequest => None,
            },
            additions: additions(&settings, &personas, &names, now.as_deref()),
            names,
            model: by.model,
        }),
        ..by
    })
}

/// What the conversation does not say follows the owner's settings.
fn sampling(here: &Sampling, owners: &Sampling) -> Sampling {
    Sampling {
        temperature: here.temperature.or(owners.temperature),
        top_p: here.top_p.or(owners.top_p),
        frequency_penalty: here.frequency_penalty.or(owners.frequency_penalty),
        presence_penalty: here.presence_penalty.or(owners.presence_penalty),
        seed: here.seed.or(owners.seed),
    }
}

struct PersonalisedModel {
    model: Arc<dyn Model>,
    /// Instead of the system prompt that the conversation began with.
    first: Option<String>,
    additions: String,
    names: PlaceholderNames,
}

impl Model for PersonalisedModel {
    fn facts(&self) -> &ModelFacts {
        self.model.facts()
    }

    fn ask<'a>(&'a self, request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        let first = self.first.as_deref().unwrap_or(&request.system);
        let parts = [self.names.fill(first), self.additions.clone()];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let request = Request { system: parts.join("\n\n"), ..request.clone() };
        Box::pin(async move { self.model.ask(&request, deltas).await })
    }

    fn sight(&self) -> Sight {
        self.model.sight()
    }

    fn rung_memory(&self) -> Option<&dyn RungMemory> {
        self.model.rung_memory()
    }

    fn tools_max(&self) -> Option<usize> {
        self.model.tools_max()
    }

    fn blamed<'a>(
        &'a self,
        request: &'a Request,
        fault: &'a ModelFault,
    ) -> BoxFuture<'a, Vec<RejectedTool>> {
        self.model.blamed(request, fault)
    }
}

/// What follows the system prompt. Descriptions may contain placeholders too.
fn additions(
    settings: &Settings,
    personas: &[Persona],
    names: &PlaceholderNames,
    now: Option<&str>,
) -> String {
    let mut parts = Vec::new();
    let further = settings.system_prompts.iter().filter(|prompt| prompt.on);
    parts.extend(further.map(|prompt| names.fill(&prompt.content)));
    parts.extend(cast(personas, names));
    if let Some(about) = settings.user_description.as_deref().filter(|text| !text.is_empty()) {
        parts.push(format!("About {}, the user: {}", names.user, names.fill(about)));
    } else if settings.user_name.is_some() {
        parts.push(format!("The user's name is {}.", names.user));
    }
    parts.extend(now.map(|now| format!("It is {now}.")));
    parts.join("\n\n")
}

/// Who the model is; several personas speak in turn, each under its name.
fn cast(personas: &[Persona], names: &PlaceholderNames) -> Option<String> {
    let about = |one: &Persona| names.fill(&one.description);
    match personas {
        [] => None,
        [one] if one.description.is_empty() => None,
        [one] => Some(format!("You are {}. {}", one.name, about(one))),
        several => {
            let line = |one: &Persona| format!("- {}: {}", one.name, about(one));
            let lines: Vec<_> = several.iter().map(line).collect();
            Some(format!(
                "You speak for several characters:\n{}\nWrite what each of them says on a line \
                 of its own, in the form `[name]: [message]`.",
                lines.join("\n")
            ))
        }
    }
}

fn date_time(millis: u64) -> Option<String> {
    let now = Timestamp::from_millisecond(i64::try_from(millis).ok()?).ok()?;
    Some(now.to_zoned(TimeZone::system()).strftime("%A, %-d %B %Y, %H:%M (UTC%:z)").to_string())
}

#[cfg(test)]
mod tests {
    use services::{Persona, PlaceholderNames};

    use super::additions;
    use super::cast;
    use crate::routes::settings::{Settings, SystemPrompt};

    fn persona(name: &str, description: &str) -> Persona {
        Persona { id: name.into(), name: name.into(), description: description.into() }
    }

    /// GD-16
    #[test]
    fn gd_16_prompts_and_personas_have_a_fixed_order_and_names_are_filled_in() {
        let names = PlaceholderNames { user: "Ana".into(), char: "Ada".into() };
        let prompt =
            |on, content: &str| SystemPrompt { title: "T".into(), content: content.into(), on };
        let settings = Settings {
            system_prompts: vec![prompt(true, "Obey {{user}}."), prompt(false, "Never.")],
            user_description: Some("likes {{char}}".into()),
            ..Settings::default()
        };
        let text = additions(&settings, &[persona("Ada", "Knows [[user]].")], &names, Some("noon"));
        let expected = "Obey Ana.\n\nYou are Ada. Knows Ana.\n\nAbout Ana, the user: likes \
                        Ada\n\nIt is noon.";
        assert_eq!(text, expected);
        assert_eq!(cast(&[persona("Ada", "")], &names), None);
        let several = cast(&[persona("Ada", "A."), persona("Ben", "B.")], &names).unwrap();
        assert!(several.contains("- Ada: A.\n- Ben: B.\n"), "{several}");
        assert!(several.contains("`[name]: [message]`"), "{several}");
    }
}
