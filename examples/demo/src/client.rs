//! A client of the server: rmcp's, with the program as its child.
//!
//! Owns: starting it, a call and its answer. Never: what is called.

use anyhow::{Context, Result, bail};
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::Value;
use std::path::Path;

pub struct Client {
    service: RunningService<RoleClient, ClientConfig>,
}

impl Client {
    pub async fn start(binary: &Path, folder: &Path) -> Result<Self> {
        let mut command = tokio::process::Command::new(binary);
        command
            .args(["mcp", "--toolset", "all"])
            .current_dir(folder)
            .env_remove("DECIDUOUS_DB_PATH");
        let transport = TokioChildProcess::new(command).context("the server does not start")?;
        let info = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("demo-agent", "1"),
        );
        let service = info
            .serve(transport)
            .await
            .context("the server does not answer")?;
        Ok(Client { service })
    }

    /// The structured answer.
    pub async fn call(&self, tool: &'static str, args: Value) -> Result<Value> {
        Ok(self.answer(tool, args).await?.1)
    }

    /// The text that a person reads, and the structured answer.
    pub async fn answer(&self, tool: &'static str, args: Value) -> Result<(String, Value)> {
        let Value::Object(arguments) = args else {
            bail!("`{tool}` takes an object")
        };
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = self
            .service
            .call_tool(request)
            .await
            .with_context(|| format!("`{tool}`"))?;
        let text = result
            .content
            .first()
            .and_then(|block| block.as_text())
            .map(|text| text.text.clone())
            .unwrap_or_default();
        if result.is_error == Some(true) {
            bail!("`{tool}` is refused: {text}");
        }
        Ok((text, result.structured_content.unwrap_or_default()))
    }

    pub async fn tools(&self) -> Result<usize> {
        Ok(self.service.list_all_tools().await?.len())
    }

    pub async fn end(self) -> Result<()> {
        self.service
            .cancel()
            .await
            .context("the server does not end")?;
        Ok(())
    }
}
