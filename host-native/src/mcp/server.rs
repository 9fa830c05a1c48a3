//! What the server says: its name, its tools, a call's answer.
//!
//! Owns: the shapes of MCP's results. Never: the catalogue's words, which it passes on.

use super::answers::{Answers, Part};
use super::worker::{Answer, Job, Jobs};
use crate::catalog::{Toolset, nearest};
use crate::cli::actor_name;
use deciduous_boundary::{Actor, ActorKind};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::sync::Arc;

pub struct Server {
    pub toolset: &'static Toolset,
    pub jobs: Jobs,
    pub answers: Arc<Answers>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("deciduous", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.toolset.instructions)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        let mut client = request;
        client.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(client);
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "there is one page of tools; leave `cursor` out",
                None,
            ));
        }
        // Put in as it is generated: the order of tools, arguments and keys is part of what an agent reads.
        let all: Vec<&str> = self.toolset.spoken().map(|tool| tool.spoken).collect();
        self.answers.put(
            context.id,
            Part {
                empty: "\"tools\":[]",
                name: "\"tools\":",
                json: format!("[{}]", all.join(",")),
            },
        );
        Ok(ListToolsResult::with_all_items(Vec::new()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        let Some(tool) = self.toolset.tool(name) else {
            let hint = nearest(name, self.toolset.spoken().map(|tool| tool.name));
            let hint = hint
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            return Err(ErrorData::invalid_params(
                format!("unknown tool `{name}`{hint}"),
                None,
            ));
        };
        let args = to_raw_value(&request.arguments.unwrap_or_default())
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let (answer, answered) = tokio::sync::oneshot::channel();
        let token = context.ct.clone();
        let cancelled = Box::new(move || token.is_cancelled());
        self.jobs.send(Job {
            tool,
            args,
            caller: caller(&context),
            cancelled,
            answer,
        });
        let answer = tokio::select! {
            biased;
            answer = answered => answer.ok(),
            () = self.answers.given_up(), if !tool.writes => None,
        };
        let Some(answer) = answer else {
            return Err(ErrorData::internal_error(
                "the call was not begun: the server is ending, or the client cancelled it",
                None,
            ));
        };
        Ok(match answer {
            Answer::Done { text, output } => {
                let mut result = CallToolResult::success(vec![
                    ContentBlock::text(text),
                    ContentBlock::text(output.get()),
                ]);
                result.structured_content = Some(serde_json::json!({}));
                let json = <Box<str>>::from(output).into_string();
                self.answers.put(
                    context.id,
                    Part {
                        empty: "\"structuredContent\":{}",
                        name: "\"structuredContent\":",
                        json,
                    },
                );
                result
            }
            Answer::Refused(refusal) => {
                let lead = lead("Refused", &refusal.message, &refusal.next);
                refused(lead, refusal.status, &refusal.message, &refusal.errors)
            }
            Answer::Failed(failure) => refused(
                lead("Failed", &failure.message, &failure.next),
                500,
                &failure.message,
                &BTreeMap::new(),
            ),
        }
        .into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp hands over what it could not read as the method it names.
        if [
            "initialize",
            "ping",
            "server/discover",
            "tools/list",
            "tools/call",
        ]
        .contains(&request.method.as_str())
        {
            return Err(ErrorData::invalid_params(
                format!(
                    "the parameters of `{}` are not what the protocol says",
                    request.method
                ),
                None,
            ));
        }
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("there is no method `{}` here", request.method),
            None,
        ))
    }
}

fn caller(context: &RequestContext<RoleServer>) -> Actor {
    let named = std::env::var("DECIDUOUS_ACTOR")
        .ok()
        .filter(|name| !name.is_empty());
    let name = named.or_else(|| context.client_info().map(|client| client.name));
    Actor {
        name: actor_name(name.as_deref().unwrap_or_default()),
        kind: ActorKind::Agent,
    }
}

fn lead(how: &str, message: &str, next: &str) -> String {
    let next = if next.is_empty() {
        String::new()
    } else {
        format!(" Next: {}.", next.trim_end_matches('.'))
    };
    format!("{how}: {}.{next}", message.trim_end_matches('.'))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Refused<'a> {
    status_code: u16,
    message: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    errors: &'a BTreeMap<String, String>,
}

/// Text only: structured content beside an error hides its message in some clients.
fn refused(
    lead: String,
    status_code: u16,
    message: &str,
    errors: &BTreeMap<String, String>,
) -> CallToolResult {
    let json = to_raw_value(&Refused {
        status_code,
        message,
        errors,
    })
    .map(|json: Box<RawValue>| json.get().to_owned());
    CallToolResult::error(vec![
        ContentBlock::text(lead),
        ContentBlock::text(json.unwrap_or_default()),
    ])
}

#[cfg(test)]
mod tests {
    use super::lead;

    #[test]
    fn a_lead_is_two_sentences() {
        assert_eq!(
            lead("Refused", "no project here", "run `deciduous init`"),
            "Refused: no project here. Next: run `deciduous init`."
        );
        assert_eq!(lead("Refused", "no", ""), "Refused: no.");
    }
}
