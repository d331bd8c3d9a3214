//! Two benchmarks in which revisions differ only in the amount of work.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use time_errors::{PERCENT, hash, mix};

fn work(criterion: &mut Criterion) {
    criterion.bench_function("mix", |bencher| bencher.iter(|| mix(black_box(1))));
    let bytes = vec![7; 20 * PERCENT];
    criterion.bench_function("hash", |bencher| bencher.iter(|| hash(black_box(&bytes))));
}

criterion_group!(benches, work);
criterion_main!(benches);
