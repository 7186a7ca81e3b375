//! The right to ask for a draft: a profile that was read in this conversation.

use pen::mix::{Mixed, mix};
use pen::{Lang, Profile};
use serde_json::{Value, json};

use super::super::context::PenContext;
use super::conversation::DeskTalk;
use crate::exit::Failure;
use crate::render::printer::Printer;

/// Made only by reading; without one there is no draft.
pub(super) struct Grounded {
    profile: Profile,
    mixed: Option<Mixed>,
    /// The profile that learns from feedback.
    personal: String,
}

impl Grounded {
    pub(super) async fn read(
        ctx: &PenContext,
        talk: &mut DeskTalk,
        name: &str,
    ) -> Result<Self, Failure> {
        let profile = read(ctx, talk, name).await?;
        let personal = profile.name().to_owned();
        Ok(Self { profile, mixed: None, personal })
    }

    pub(super) async fn mixed(
        ctx: &PenContext,
        talk: &mut DeskTalk,
        base: &str,
        techniques: &str,
        printer: &mut Printer,
    ) -> Result<Self, Failure> {
        if base == techniques {
            return Err(Failure::message(
                ctx.text("мікс потребує двох різних профілів", "a mix needs two profiles"),
                "--mix default competitor-alex",
            ));
        }
        let base = read(ctx, talk, base).await?;
        let techniques = read(ctx, talk, techniques).await?;
        let mixed = mix(&base, &techniques)
            .map_err(|fault| Failure::user(fault, "correct the profiles it names"))?;
        let from = ctx.text("взято від", "taken from");
        printer.message(format!(
            "Mix: {from} {}: {}",
            techniques.name(),
            mixed.borrowed.join(", ")
        ))?;
        for hook in &mixed.dropped {
            let dropped = ctx
                .text("hook відкинуто, бо база його уникає", "hook left out, the base avoids it");
            printer.message(format!("  {dropped}: {hook}"))?;
        }
        let personal = base.name().to_owned();
        Ok(Self { profile: mixed.profile.clone(), mixed: Some(mixed), personal })
    }

    pub(super) fn profile(&self) -> &Profile {
        &self.profile
    }

    pub(super) fn mix(&self) -> Option<&Mixed> {
        self.mixed.as_ref()
    }

    /// `default`, or `mix:default+competitor-alex`.
    pub(super) fn used(&self) -> &str {
        self.mixed.as_ref().map_or(self.profile.name(), |mixed| &mixed.used)
    }

    pub(super) fn personal(&self) -> &str {
        &self.personal
    }

    /// The profile was changed: what is written from here on is held to the new one.
    pub(super) fn renew(&mut self, ctx: &PenContext) -> Result<(), Failure> {
        if self.mixed.is_none() {
            self.profile = ctx.profile(&self.personal)?;
        }
        Ok(())
    }
}

async fn read(ctx: &PenContext, talk: &mut DeskTalk, name: &str) -> Result<Profile, Failure> {
    // A name that is no slug is told before anything is read.
    let name = ctx.name(name)?;
    let settled = talk.run("read_style_profile", json!({ "profile_name": name })).await;
    let data = settled.outcome.map_err(|error| Failure::message(error.message, "run it again"))?;
    if data.get("success") != Some(&Value::Bool(true)) {
        let message = data.get("message").and_then(Value::as_str).unwrap_or_default();
        let fix = match ctx.lang {
            Lang::Uk => "`ghostpen init` створює профіль, `ghostpen profile list` показує всі",
            Lang::En => "`ghostpen init` makes one, `ghostpen profile list` shows them all",
        };
        return Err(Failure::message(message, fix));
    }
    let profile = ctx.profile(name.as_str())?;
    talk.preview.step("read_style_profile", &format!("{name} v{}", profile.version()));
    Ok(profile)
}
