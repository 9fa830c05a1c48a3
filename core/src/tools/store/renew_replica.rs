//! `renew_replica`: has a store that was put back write under a new name.

use crate::answer::Answer;
use crate::cx::Cx;
use crate::ledger::Tx;
use crate::refuse::Step;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Renew replica",
    about: "Have this store write its events under a new name from now on. For a store put back from a copy: the numbers that it gave since under the old name may be known elsewhere, and must not be given twice.",
    effect: Set,
    cli: {
        command: &["store", "renew"],
        summary: "Write under a new name, after the database was put back from a copy",
        examples: &["deciduous store renew"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    /// The name until now
    former: String,
    /// The name from now on
    replica: String,
}

fn run(_: Args, cx: &Cx) -> Step<Answer<Output>> {
    let mut tx = Tx::open(cx)?;
    let former = tx.home.replica.clone();
    tx.renew();
    let output = Output { former, replica: tx.home.replica.clone() };
    let lead = if output.former == output.replica {
        "This store has written nothing yet: its name stays.".to_owned()
    } else {
        format!("This store writes as `{}` from now on.", output.replica)
    };
    Ok(Answer::new(output).lead(lead))
}
