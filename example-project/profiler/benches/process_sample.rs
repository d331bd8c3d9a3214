//! Benchmark of user space's work on each sample, without the names, which are looked up once.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use profiler::process_sample;

mod support;

/// Splits one sample into its parts. No logger is installed, so nothing is formatted.
fn bench_process_sample(criterion: &mut Criterion) {
    let sample = support::sample(0);
    let trace = process_sample(&sample).expect("the sample is in order");
    assert_eq!(trace.addresses.len(), support::FRAMES);
    criterion.bench_function("process_sample", |bencher| {
        bencher.iter(|| black_box(process_sample(black_box(&sample))));
    });
}

criterion_group!(benches, bench_process_sample);
criterion_main!(benches);
