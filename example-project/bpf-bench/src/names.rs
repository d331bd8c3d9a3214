//! Names: two programs with the same name stay two results.

use std::collections::BTreeSet;

/// Makes names distinct and keeps their order: the second `fun_xdp` is `fun_xdp #2`, with
/// `separator` before the number. No name is changed to the original name of another.
pub(crate) fn distinct(names: impl IntoIterator<Item = String>, separator: char) -> Vec<String> {
    let names: Vec<String> = names.into_iter().collect();
    let own: BTreeSet<String> = names.iter().cloned().collect();
    let mut taken = BTreeSet::new();
    names
        .into_iter()
        .map(|name| {
            let numbered = (2..).map(|number| format!("{name}{separator}#{number}"));
            let free = std::iter::once(name.clone())
                .chain(numbered.filter(|candidate| !own.contains(candidate)))
                .find(|candidate| !taken.contains(candidate))
                .expect("there are more numbers than names");
            taken.insert(free.clone());
            free
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Vec<String> {
        distinct(names.iter().map(|&name| name.to_owned()), ' ')
    }

    #[test]
    fn equal_names_are_numbered_in_their_order() {
        assert_eq!(of(&["a", "b", "a", "a"]), ["a", "b", "a #2", "a #3"]);
    }

    #[test]
    fn a_number_that_a_name_already_has_is_skipped() {
        assert_eq!(of(&["a", "a", "a #2"]), ["a", "a #3", "a #2"]);
        assert_eq!(
            of(&["a #2", "a #2", "a", "a"]),
            ["a #2", "a #2 #2", "a", "a #3"]
        );
    }
}
