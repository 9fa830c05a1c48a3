//! JavaScript and TypeScript as words. Not a parser: regular expressions are read as signs and names, which is near enough
//! for rules about names and strings.

use std::iter::Peekable;
use std::str::Chars;

use crate::code::Word;

pub fn words(text: &str) -> Vec<Word> {
    let mut reader = Reader {
        rest: text.chars().peekable(),
        line: 1,
    };
    let mut words = Vec::new();
    while let Some(sign) = reader.next() {
        let line = reader.line;
        match sign {
            '/' if reader.rest.peek() == Some(&'/') => reader.skip_line(),
            '/' if reader.rest.peek() == Some(&'*') => reader.skip_block(),
            '"' | '\'' | '`' => words.push(Word::Text {
                text: reader.string(sign),
                line,
            }),
            sign if is_name(sign) && !sign.is_ascii_digit() => {
                words.push(Word::Name {
                    text: reader.name(sign),
                    line,
                });
            }
            sign if sign.is_whitespace() || sign.is_ascii_digit() => {}
            text => words.push(Word::Sign { text, line }),
        }
    }
    words
}

fn is_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '$'
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let sign = self.rest.next();
        self.line += usize::from(sign == Some('\n'));
        sign
    }

    fn skip_line(&mut self) {
        while self.rest.next_if(|sign| *sign != '\n').is_some() {}
    }

    fn skip_block(&mut self) {
        let mut before = ' ';
        self.next();
        while let Some(sign) = self.next() {
            if before == '*' && sign == '/' {
                return;
            }
            before = sign;
        }
    }

    fn string(&mut self, quote: char) -> String {
        let mut text = String::new();
        while let Some(sign) = self.next() {
            if sign == quote {
                break;
            }
            text.push(sign);
            if sign == '\\' {
                text.extend(self.next());
            }
        }
        text
    }

    fn name(&mut self, first: char) -> String {
        let mut text = String::from(first);
        while let Some(sign) = self.rest.next_if(|sign| is_name(*sign)) {
            text.push(sign);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_names_and_strings_but_no_comments() {
        let words = words("// a\n/* b\n */ c('d\\'e', `f`) // g");
        let shown: Vec<_> = words
            .iter()
            .filter_map(|word| match word {
                Word::Name { text, line } => Some(format!("{line} {text}")),
                Word::Text { text, line } => Some(format!("{line} <{text}>")),
                Word::Sign { .. } => None,
            })
            .collect();
        assert_eq!(shown, ["3 c", "3 <d\\'e>", "3 <f>"]);
    }
}
