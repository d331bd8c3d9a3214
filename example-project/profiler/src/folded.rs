//! Folded stacks: one line for each different stack, the outermost frame first, and its weight.
//! Flame graphs are drawn from them, and text tools can compare and merge them.

use std::{collections::BTreeMap, fmt, fs, path::Path};

use crate::Error;

/// Weights by folded stack, in samples or in microseconds.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Folded(BTreeMap<String, u64>);

impl Folded {
    /// Adds to the weight of a stack. A weight of 0 is ignored.
    pub fn add(&mut self, stack: String, weight: u64) {
        if weight > 0 {
            *self.0.entry(stack).or_default() += weight;
        }
    }

    /// Each stack and its weight, sorted by stack.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0
            .iter()
            .map(|(stack, weight)| (stack.as_str(), *weight))
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The weight of all stacks.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The weight of the stacks that contain a frame with this name.
    pub fn with_frame(&self, name: &str) -> u64 {
        self.iter()
            .filter(|(stack, _)| stack.split(';').any(|frame| frame == name))
            .map(|(_, weight)| weight)
            .sum()
    }

    /// Reads a file of folded stacks.
    ///
    /// # Errors
    ///
    /// [`Error::File`], and [`Error::NotFolded`] at the first line that is not one.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|source| Error::File {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text).map_err(|line| Error::NotFolded {
            path: path.to_owned(),
            line,
        })
    }

    /// Writes a file for [`Folded::read`].
    ///
    /// # Errors
    ///
    /// [`Error::File`].
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        fs::write(path, self.to_string()).map_err(|source| Error::File {
            action: "write",
            path: path.to_owned(),
            source,
        })
    }

    /// Parses folded stacks. The error is the number of the first line that is not one.
    fn parse(text: &str) -> Result<Self, usize> {
        let mut folded = Self::default();
        for (index, line) in text.lines().enumerate() {
            let (stack, weight) = line
                .rsplit_once(' ')
                .filter(|(stack, _)| !stack.is_empty())
                .and_then(|(stack, weight)| Some((stack, weight.parse().ok()?)))
                .ok_or(index + 1)?;
            folded.add(stack.to_owned(), weight);
        }
        Ok(folded)
    }
}

impl fmt::Display for Folded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (stack, weight) in self.iter() {
            writeln!(out, "{stack} {weight}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(stacks: &[(&str, u64)]) -> Folded {
        let mut folded = Folded::default();
        for &(stack, weight) in stacks {
            folded.add(stack.to_owned(), weight);
        }
        folded
    }

    #[test]
    fn equal_stacks_are_one_line() {
        let folded = folded(&[("a;main;hot", 1), ("a;main", 5), ("a;main;hot", 2)]);
        assert_eq!(folded.to_string(), "a;main 5\na;main;hot 3\n");
        assert_eq!(folded.total(), 8);
    }

    #[test]
    fn weight_is_found_by_whole_frames() {
        let folded = folded(&[("a;main;hot", 3), ("a;hot;main", 4), ("a;hotter", 50)]);
        assert_eq!(folded.with_frame("hot"), 7);
    }

    #[test]
    fn written_stacks_are_read_back() {
        let folded = folded(&[("a;<T as U<V, W>>::f", 3), ("[unknown]", 1)]);
        assert_eq!(Folded::parse(&folded.to_string()), Ok(folded));
    }

    #[test]
    fn names_the_first_line_that_is_not_folded() {
        for (text, line) in [
            ("a;b 1\na;c\n", 2),
            ("a;b 1\na;c 2\n\na 1", 3),
            ("a;b x", 1),
            (" 1", 1),
            ("a -1", 1),
        ] {
            assert_eq!(Folded::parse(text), Err(line), "{text:?}");
        }
    }
}
