//! Inputs made from others.

/// Numbers that follow from a seed (xorshift64*).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    #[must_use]
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.roll() >> 11) as usize % end
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Pieces that parsers meet at their borders.
const PIECES: [&str; 60] = [
    "0",
    "-1",
    "1",
    "-0",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e308",
    "1e-9",
    "1.5",
    "1E400",
    "null",
    "true",
    "false",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[",
    "{\"a\":",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\\u202e",
    "\u{0}",
    "\u{7f}",
    "\u{fffd}",
    "\u{10ffff}",
    "\u{202e}",
    "e\u{301}",
    "👩‍💻",
    "ß",
    "İ",
    "ﬁ",
    "-",
    "--",
    ",",
    ",,",
    "1-",
    "-1-1",
    "3-1",
    "1-4294967295",
    "1-18446744073709551615",
    "#",
    "#1",
    "@",
    "@a",
    " ",
    "\t",
    "\n",
    ":",
    "2024-02-29",
    "2023-02-29",
    "0000-00-00",
    "9999-12-31T23:59:60Z",
    "T24:00:00+23:59",
    "-271821-04-20",
    "Z",
    "\"",
    "\\",
];

/// A new input from one of these.
pub fn mutated(dice: &mut Dice, all: &[Vec<u8>], longest: usize) -> Vec<u8> {
    let mut bytes = dice.pick(all).clone();
    for _ in 0..=dice.below(5) {
        once(dice, &mut bytes, all);
    }
    bytes.truncate(longest);
    bytes
}

fn once(dice: &mut Dice, bytes: &mut Vec<u8>, all: &[Vec<u8>]) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + 1 + dice.below(8)).min(bytes.len());
    match dice.below(10) {
        0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        1 if at < bytes.len() => bytes[at] = dice.roll() as u8,
        2 => drop(bytes.drain(at..end)),
        3 => {
            let piece = dice.pick(&PIECES).as_bytes().to_vec();
            drop(bytes.splice(at..at, piece));
        }
        4 => {
            let piece = dice.pick(&PIECES).as_bytes().to_vec();
            drop(bytes.splice(at..end, piece));
        }
        5 => {
            let copy = bytes[at..end].to_vec();
            let times = 1 + dice.below(200);
            drop(bytes.splice(at..at, copy.repeat(times)));
        }
        6 => {
            let other = dice.pick(all);
            let from = dice.below(other.len() + 1);
            let to = from + dice.below(other.len() - from + 1);
            drop(bytes.splice(at..at, other[from..to].to_vec()));
        }
        // A value of JSON in place of another one.
        7 | 8 => {
            let values = values(bytes);
            if !values.is_empty() {
                let place = dice.pick(&values).clone();
                let piece = if dice.below(2) == 0 {
                    bytes[dice.pick(&values).clone()].to_vec()
                } else {
                    dice.pick(&PIECES).as_bytes().to_vec()
                };
                drop(bytes.splice(place, piece));
            }
        }
        _ => bytes.truncate(at),
    }
}

/// Where values of JSON lie, as far as brackets and quotes tell.
fn values(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], quote) {
            (b'\\', Some(_)) => at += 1,
            (b'"', Some(start)) => {
                found.push(start..at + 1);
                quote = None;
            }
            (_, Some(_)) => {}
            (b'"', None) => quote = Some(at),
            (b'[' | b'{', None) => open.push(at),
            (b']' | b'}', None) => found.extend(open.pop().map(|start| start..at + 1)),
            (b'0'..=b'9' | b'-', None) => {
                let length = bytes[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit() || **byte == b'-')
                    .count();
                found.push(at..at + length);
                at += length - 1;
            }
            _ => {}
        }
        at += 1;
    }
    found
}
