//! Messages to the core: frames of any bytes, and true answers with changes in them.

use crate::Graph;
use crate::graph::reply;
use crate::seeds::calls;
use deciduous_boundary::{Reply, frame};

/// The first byte says what the rest is: a request, an answer, or changes to the true answers of a call.
pub fn run(bytes: &[u8]) -> String {
    let Some((&mode, rest)) = bytes.split_first() else {
        return "empty".into();
    };
    match mode % 4 {
        0 => Graph::with(|graph| kind(&reply(&graph.instance.call(rest)))),
        1 => Graph::with(|graph| {
            let Some((number, rest)) = rest.split_first() else {
                return "short".into();
            };
            begin(graph, u16::from(*number) * 3);
            kind(&reply(&graph.instance.answer(rest)))
        }),
        _ => Graph::with(|graph| changed(graph, rest)),
    }
}

fn begin(graph: &mut Graph, number: u16) -> Reply {
    let call = &calls()[usize::from(number) % calls().len()];
    let request = graph.request(&call.toolset, &call.tool, &call.args);
    reply(&graph.instance.call(&request))
}

/// Two bytes name the call, then each five a change: the round, the place, the byte.
fn changed(graph: &mut Graph, bytes: &[u8]) -> String {
    let Some((number, edits)) = bytes.split_first_chunk::<2>() else {
        return "short".into();
    };
    // An instance of its own: what it is told wrongly it keeps.
    let mut instance = deciduous_core::Instance::new();
    let call = &calls()[usize::from(u16::from_le_bytes(*number)) % calls().len()];
    let request = graph.request(&call.toolset, &call.tool, &call.args);
    let mut answer = reply(&instance.call(&request));
    for round in 0..64 {
        let Reply::Need { fetches, .. } = &answer else {
            break;
        };
        let (mut json, mut attachment) = graph.answers(fetches);
        for edit in edits.chunks_exact(5).filter(|edit| edit[0] % 8 == round) {
            let place = usize::from(u16::from_le_bytes([edit[1], edit[2]]));
            let part = if edit[3] % 2 == 0 || attachment.is_empty() {
                &mut json
            } else {
                &mut attachment
            };
            let place = place % part.len().max(1);
            match edit[3] % 3 {
                0 => part.truncate(place),
                _ => part
                    .iter_mut()
                    .skip(place)
                    .take(1)
                    .for_each(|byte| *byte = edit[4]),
            }
        }
        answer = reply(&instance.answer(&frame(&json, &attachment)));
    }
    format!("{} {}", call.tool, kind(&answer))
}

fn kind(reply: &Reply) -> String {
    match reply {
        Reply::Need { fetches, .. } => format!("need {}", fetches.len()),
        Reply::Done(_) => "done".into(),
        Reply::Refused(refusal) => {
            let message = refusal.message.chars().take_while(|c| *c != '`');
            format!(
                "{} {}",
                refusal.status,
                message.take(50).collect::<String>()
            )
        }
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, call) in (0_u16..).zip(calls()) {
        let request = Graph::with(|graph| graph.request(&call.toolset, &call.tool, &call.args));
        if number % 5 == 0 {
            seeds.push([&[0], &request[..]].concat());
        }
        seeds.push([&[2], &number.to_le_bytes()[..], &[0, 20, 0, 2, b'9']].concat());
        let answer = Graph::with(|graph| match begin(graph, number) {
            Reply::Need { fetches, .. } => {
                let (json, attachment) = graph.answers(&fetches);
                frame(&json, &attachment)
            }
            _ => Vec::new(),
        });
        if number % 3 == 0 && answer.len() < 3_000 {
            seeds.push([&[1, (number / 3) as u8], &answer[..]].concat());
        }
    }
    seeds
}
