//! Flame graphs of folded stacks, and of the difference between two of them.

use std::{fs, io, path::Path};

use inferno::{differential, flamegraph};

use crate::{Error, Folded};

/// Draws a flame graph to an SVG file. `unit` is the unit of the weights.
///
/// # Errors
///
/// [`Error::NothingToDraw`] without stacks, and [`Error::File`].
pub fn draw(path: &Path, folded: &Folded, title: &str, unit: &str) -> Result<(), Error> {
    let mut options = flamegraph::Options::default();
    options.title = title.to_owned();
    options.count_name = unit.to_owned();
    let text = folded.to_string();
    write(path, folded.is_empty(), |svg| {
        flamegraph::from_lines(&mut options, text.lines(), svg)
    })
}

/// Draws the change from base to head: the stacks of head, in red if they have grown and in blue if
/// they have shrunk. Stacks that only base has are left out.
///
/// `normalize` first scales base to head's total, for profiles of different length.
///
/// # Errors
///
/// [`Error::NothingToDraw`] if head has no stacks, and [`Error::File`].
pub fn draw_difference(
    path: &Path,
    base: &Folded,
    head: &Folded,
    normalize: bool,
) -> Result<(), Error> {
    let mut options = flamegraph::Options::default();
    options.title = "Differential flame graph: base to head".to_owned();
    let difference = differential::Options {
        normalize,
        ..differential::Options::default()
    };
    write(path, head.is_empty(), |svg| {
        let mut folded = Vec::new();
        differential::from_readers(
            difference,
            base.to_string().as_bytes(),
            head.to_string().as_bytes(),
            &mut folded,
        )?;
        flamegraph::from_reader(&mut options, folded.as_slice(), svg)
    })
}

fn write(
    path: &Path,
    nothing: bool,
    draw: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
) -> Result<(), Error> {
    if nothing {
        return Err(Error::NothingToDraw {
            path: path.to_owned(),
        });
    }
    // Drawn before writing, so that no half of a graph is left behind.
    let mut svg = Vec::new();
    draw(&mut svg)
        .and_then(|()| fs::write(path, svg))
        .map_err(|source| Error::File {
            action: "write",
            path: path.to_owned(),
            source,
        })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn folded(stacks: &[(&str, u64)]) -> Folded {
        let mut folded = Folded::default();
        for &(stack, weight) in stacks {
            folded.add(stack.to_owned(), weight);
        }
        folded
    }

    /// A file that is removed when the test ends.
    struct Svg(PathBuf);

    impl Svg {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("{}-{name}.svg", std::process::id())))
        }
    }

    impl Drop for Svg {
        fn drop(&mut self) {
            let _: io::Result<()> = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn shows_frames_and_their_weights() {
        let svg = Svg::new("flamegraph");
        let stacks = folded(&[("a;main;hot", 30), ("a;main", 10)]);
        draw(&svg.0, &stacks, "the title", "beats").unwrap();
        let text = fs::read_to_string(&svg.0).unwrap();
        assert!(text.contains("the title"), "{text}");
        assert!(
            text.contains("<title>hot (30 beats, 75.00%)</title>"),
            "{text}"
        );
    }

    #[test]
    fn a_difference_shows_what_has_grown() {
        let svg = Svg::new("difference");
        let base = folded(&[("a;main;same", 10), ("a;main;grown", 10)]);
        let head = folded(&[("a;main;same", 10), ("a;main;grown", 40)]);
        draw_difference(&svg.0, &base, &head, false).unwrap();
        let text = fs::read_to_string(&svg.0).unwrap();
        assert!(
            text.contains("<title>grown (40 samples, 80.00%; +60.00%)"),
            "{text}"
        );
        assert!(
            text.contains("<title>same (10 samples, 20.00%; 0.00%)"),
            "{text}"
        );
    }

    #[test]
    fn without_stacks_there_is_no_graph_and_no_file() {
        let svg = Svg::new("nothing");
        let base = folded(&[("a", 1)]);
        let nothing = Folded::default();
        for result in [
            draw(&svg.0, &nothing, "title", "samples"),
            draw_difference(&svg.0, &base, &nothing, true),
        ] {
            assert!(matches!(result, Err(Error::NothingToDraw { .. })));
        }
        assert!(!svg.0.exists());
    }
}
