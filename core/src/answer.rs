//! What a tool answers: the output, a lead that a person can read, and a view when one is wanted.

use crate::cx::Cx;
use crate::refuse::{Step, refusal};
use crate::render::view::Page;
use deciduous_boundary::{Done, View};
use serde::Serialize;

/// `Answer::new(output).lead("…").next("…").view(cx, |page, output| …)`.
pub(crate) struct Answer<O> {
    output: O,
    lead: String,
    next: String,
    view: Option<View>,
}

impl<O: Serialize> Answer<O> {
    pub(crate) fn new(output: O) -> Self {
        Answer {
            output,
            lead: String::new(),
            next: String::new(),
            view: None,
        }
    }

    /// What was found or done.
    pub(crate) fn lead(mut self, lead: impl Into<String>) -> Self {
        self.lead = lead.into();
        self
    }

    /// What to do next; empty for nothing.
    pub(crate) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = next.into();
        self
    }

    /// Draws the answer for a terminal, only where one asked. Without a view a terminal shows the lead.
    pub(crate) fn view(mut self, cx: &Cx, draw: impl FnOnce(&mut Page, &O)) -> Self {
        if cx.wants_view() {
            let mut page = Page::default();
            draw(&mut page, &self.output);
            self.view = Some(page.finish());
        }
        self
    }

    pub(crate) fn done(self, cx: &Cx) -> Step<Done> {
        let output = serde_json::value::to_raw_value(&self.output).map_err(|error| {
            refusal(
                500,
                format!("the output cannot be written: {error}"),
                "report this as a defect",
            )
        })?;
        let text = if self.next.is_empty() {
            self.lead
        } else {
            format!("{}\nNext: {}", self.lead, self.next)
        };
        let (changes, keep) = cx.take_effects();
        Ok(Done {
            output,
            text,
            view: self.view,
            changes,
            keep,
        })
    }
}
