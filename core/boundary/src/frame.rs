//! A message: the length of its JSON (u32, little-endian), the JSON, then the attachment.

/// Joins JSON and attachment. A JSON text of 4 GiB or more cannot be framed and panics: no caller can build one in wasm.
#[must_use]
pub fn frame(json: &[u8], attachment: &[u8]) -> Vec<u8> {
    let length = u32::try_from(json.len()).expect("a message's JSON is below 4 GiB");
    let mut out = Vec::with_capacity(4 + json.len() + attachment.len());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(json);
    out.extend_from_slice(attachment);
    out
}

/// Splits a message into (JSON, attachment); none when it is shorter than it says.
#[must_use]
pub fn unframe(message: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = message.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}
