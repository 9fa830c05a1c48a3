//! UUIDv7 from the entropy and the clock that the core was told.

use deciduous_boundary::{Env, Millis};
use sha2::{Digest, Sha256};

/// Makes the ids of one call; the same call makes the same ids.
#[derive(Debug)]
pub(crate) struct Ids {
    seed: String,
    now: Millis,
    made: u32,
}

impl Ids {
    pub(crate) fn new(env: &Env) -> Self {
        Ids {
            seed: env.entropy.clone(),
            now: env.now,
            made: 0,
        }
    }

    pub(crate) fn next(&mut self) -> String {
        self.made += 1;
        let mut hash = Sha256::new();
        hash.update(self.seed.as_bytes());
        hash.update(self.made.to_le_bytes());
        let digest = hash.finalize();
        let mut random = [0_u8; 10];
        for (to, from) in random.iter_mut().zip(&digest) {
            *to = *from;
        }
        let now = u64::try_from(self.now).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(now, &random)
            .into_uuid()
            .hyphenated()
            .to_string()
    }
}
