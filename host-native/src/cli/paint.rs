//! Tones to colours: what this terminal can show, and nothing where output is not a terminal.
//!
//! Owns: when and how colour is written. Never: which thing has which colour; the catalogue's tones say that.

use super::output::variable;
use crate::catalog;
use terminal_size::{Width, terminal_size};

/// When to write colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    #[default]
    Auto,
    Always,
    Never,
}

impl When {
    pub fn of(text: &str) -> Self {
        match text {
            "always" => When::Always,
            "never" => When::Never,
            _ => When::Auto,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    None,
    Nearest256,
    True,
}

/// How to write on one stream.
#[derive(Clone, Debug)]
pub struct Paint {
    depth: Depth,
    light: bool,
    /// Whether glyphs, shortening and wrapping make sense: a person looks at it.
    pub terminal: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Paint {
    pub fn of(when: When, is_terminal: bool) -> Self {
        let dumb = variable("TERM").is_some_and(|term| term == "dumb");
        let colour = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => is_terminal && !dumb && variable("NO_COLOR").is_none(),
        };
        let depth = match (colour, variable("COLORTERM").as_deref()) {
            (false, _) => Depth::None,
            (true, Some("truecolor" | "24bit")) => Depth::True,
            (true, _) => Depth::Nearest256,
        };
        let terminal = is_terminal || when == When::Always;
        let columns = || variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let width = match terminal_size() {
            _ if !is_terminal => None,
            Some((Width(width), _)) if width > 0 => Some(usize::from(width)),
            _ => columns(),
        };
        Paint {
            depth,
            light: light_ground(),
            terminal,
            width: width.unwrap_or(usize::MAX),
        }
    }

    /// The text in a tone of the catalogue; an unknown tone is plain.
    pub fn run(&self, text: &str, tone: &str) -> String {
        let Some(tone) =
            catalog::tone(tone).filter(|_| self.depth != Depth::None && !text.is_empty())
        else {
            return text.to_owned();
        };
        let mut codes: Vec<String> = Vec::new();
        for (set, code) in [(tone.bold, "1"), (tone.faint, "2"), (tone.strike, "9")] {
            if set {
                codes.push(code.to_owned());
            }
        }
        if let Some((red, green, blue)) = if self.light { tone.light } else { tone.dark } {
            codes.push(match self.depth {
                Depth::True => format!("38;2;{red};{green};{blue}"),
                _ => format!("38;5;{}", nearest(red, green, blue)),
            });
        }
        if codes.is_empty() {
            text.to_owned()
        } else {
            format!("\u{1b}[{}m{text}\u{1b}[0m", codes.join(";"))
        }
    }

    /// The tone's glyph and a space, where a person looks at it.
    pub fn glyph(&self, tone: &str) -> String {
        match catalog::tone(tone) {
            Some(tone) if self.terminal && !tone.glyph.is_empty() => format!("{} ", tone.glyph),
            _ => String::new(),
        }
    }
}

/// Terminals that tell their ground do it as `foreground;background` in the 16 colours.
fn light_ground() -> bool {
    variable("COLORFGBG")
        .and_then(|both| {
            both.rsplit(';')
                .next()
                .and_then(|ground| ground.parse::<u8>().ok())
        })
        .is_some_and(|ground| ground == 7 || ground >= 9)
}

/// The nearest of the 216 cube colours and 24 greys.
fn nearest(red: u8, green: u8, blue: u8) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |r: u8, g: u8, b: u8| {
        [(r, red), (g, green), (b, blue)]
            .iter()
            .map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2))
            .sum::<u32>()
    };
    let step = |value: u8| {
        (0u8..6)
            .min_by_key(|i| STEPS[usize::from(*i)].abs_diff(value))
            .unwrap_or(0)
    };
    let (r, g, b) = (step(red), step(green), step(blue));
    let cube = distance(
        STEPS[usize::from(r)],
        STEPS[usize::from(g)],
        STEPS[usize::from(b)],
    );
    let grey = (0u8..24)
        .min_by_key(|i| distance(8 + 10 * i, 8 + 10 * i, 8 + 10 * i))
        .unwrap_or(0);
    if distance(8 + 10 * grey, 8 + 10 * grey, 8 + 10 * grey) < cube {
        232 + grey
    } else {
        16 + 36 * r + 6 * g + b
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_of_256_colours() {
        assert_eq!(nearest(255, 0, 0), 196);
        assert_eq!(nearest(0, 0, 0), 16);
        assert_eq!(nearest(128, 128, 128), 244);
        assert_eq!(nearest(0xf2, 0xb8, 0x60), 215);
    }
}
