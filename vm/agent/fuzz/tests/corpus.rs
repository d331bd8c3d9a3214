//! Runs every input of the corpus, without libFuzzer.

use std::fs;
use std::path::Path;

use bpfgate_agent_fuzz::{TARGETS, folded_stacks_folder};

#[test]
fn every_input_of_the_corpus_is_read() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../evidence/fuzz/corpus");
    for (name, target) in TARGETS {
        let mut count = 0;
        for entry in fs::read_dir(corpus.join(name)).unwrap() {
            let path = entry.unwrap().path();
            eprintln!("{}", path.display());
            target(&fs::read(&path).unwrap());
            count += 1;
        }
        assert!(count > 0, "{name} has no corpus");
    }
    fs::remove_dir_all(folded_stacks_folder()).unwrap();
}

#[test]
fn every_corpus_has_a_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../evidence/fuzz/corpus");
    for entry in fs::read_dir(corpus).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let known = TARGETS.iter().any(|(target, _)| *target == name);
        assert_eq!(known, name.starts_with("agent-"), "{name}");
    }
}
