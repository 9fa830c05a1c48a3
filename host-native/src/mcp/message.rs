//! A line to messages: what is not JSON, or is JSON but no message, is answered and harms nothing else.
//!
//! Owns: telling these kinds apart. Never: what a message means.

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::Value;
use serde_json::error::Category;

pub enum Read {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Batch(Vec<Read>),
    /// To be answered at once.
    Wrong(Box<TxJsonRpcMessage<RoleServer>>),
    /// Said to nobody in particular: no answer is due.
    Nothing,
}

pub fn read(line: &[u8]) -> Read {
    let line = line
        .strip_prefix("\u{feff}".as_bytes())
        .unwrap_or(line)
        .trim_ascii();
    if line.is_empty() {
        return Read::Nothing;
    }
    if line.starts_with(b"[") {
        return match serde_json::from_slice::<Vec<Value>>(line) {
            Ok(all) if all.is_empty() => wrong(
                ErrorCode::INVALID_REQUEST,
                "a batch holds at least one message",
                None,
            ),
            Ok(all) => Read::Batch(all.into_iter().map(one).collect()),
            Err(error) => not_json(&error),
        };
    }
    match serde_json::from_slice(line) {
        Ok(message) => Read::Message(Box::new(message)),
        Err(error) if error.classify() != Category::Data => not_json(&error),
        Err(_) => match serde_json::from_slice(line) {
            Ok(value) => one(value),
            Err(error) => not_json(&error),
        },
    }
}

fn one(value: Value) -> Read {
    let id = value
        .get("id")
        .and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let said = value.get("method").is_some_and(Value::is_string) && value.get("id").is_none();
    let answered = value.get("method").is_none()
        && (value.get("result").is_some() || value.get("error").is_some());
    match serde_json::from_value(value) {
        Ok(message) => Read::Message(Box::new(message)),
        // A notification is never answered, nor an answer to what was not asked.
        Err(_) if said || answered => Read::Nothing,
        Err(_) => wrong(
            ErrorCode::INVALID_REQUEST,
            "this is no JSON-RPC 2.0 message with `jsonrpc`, `id` and `method`",
            id,
        ),
    }
}

fn not_json(error: &serde_json::Error) -> Read {
    wrong(
        ErrorCode::PARSE_ERROR,
        &format!("the line is not JSON (column {})", error.column()),
        None,
    )
}

pub fn too_long(limit: usize) -> Read {
    wrong(
        ErrorCode::INVALID_REQUEST,
        &format!("a message holds at most {limit} bytes"),
        None,
    )
}

pub fn in_use(id: RequestId) -> Read {
    wrong(
        ErrorCode::INVALID_REQUEST,
        "a request with this id is still being answered",
        Some(id),
    )
}

fn wrong(code: ErrorCode, message: &str, id: Option<RequestId>) -> Read {
    let error = ErrorData::new(code, message.to_owned(), None);
    Read::Wrong(Box::new(TxJsonRpcMessage::<RoleServer>::error(error, id)))
}
