import { expect, test } from 'vitest';
import { annotationsOf } from '../../src/report/annotations.ts';
import { fixtures, kernelResult, pair, resultsOf } from './results-fixtures.ts';

const repeat =
  'To repeat: `bpfgate run --project example-project --base b4d93c6db4 --kernels 6.1 --lanes instructions --bench macro`, in the working tree that was compared';

const kernels = ['5.10', '6.1'].map((id) => kernelResult(id));

test('a regression on several kernels is one annotation at its source line', () => {
  const source = { file: 'xdp-ebpf/src/main.rs', line: 42 };
  const measurements = [...pair(164, 192, { kernel: '5.10', source }), ...pair(160, 188, { kernel: '6.1', source })];
  expect(annotationsOf(resultsOf(measurements, kernels))).toEqual([
    {
      level: 'error',
      file: 'xdp-ebpf/src/main.rs',
      line: 42,
      title: 'bpfgate: fun_xdp regressed',
      message: [
        '+28 instructions per run on 2 kernels',
        'at `xdp-ebpf/src/main.rs:42`',
        'macro/fun_xdp: 5.10: 164 → 192, +28 (+17.1%); 6.1: 160 → 188, +28 (+17.5%)',
        'In the report: how to accept it',
        repeat,
      ].join('\n'),
    },
  ]);
});

test('a benchmark that no longer runs on a kernel names the kernel that it needs', () => {
  const annotations = annotationsOf(fixtures['needs-newer-kernel'] ?? resultsOf([], []));
  expect(annotations).toEqual([
    {
      level: 'error',
      file: 'example-project/bpfgate.toml',
      line: null,
      title: 'bpfgate: lost regressed',
      message: [
        'no longer runs on 5.10 (needs 5.18)',
        'probes/lost: 5.10: 172 → –, head needs 5.18; 6.1: ~; 6.12: ~',
        repeat.replace('6.1', '5.10').replace('macro', 'probes'),
      ].join('\n'),
    },
  ]);
});

test('a size has its unit', () => {
  const [, size] = annotationsOf(fixtures['other-measures'] ?? resultsOf([], []));
  expect(size?.message).toMatch(
    /^\+1 block \(total-blocks\) on 3 kernels\nheap\/process_sample: 5\.10: 24 → 25, \+1 \(\+4\.17%\); /,
  );
});

test('without a source line it is at the configuration file, without a line', () => {
  expect(annotationsOf(resultsOf(pair(1, 2), [kernelResult('6.1')]))).toMatchObject([
    { level: 'error', file: 'example-project/bpfgate.toml', line: null },
  ]);
});

test('an unchanged benchmark has no annotation', () => {
  for (const name of ['same-code', 'added-and-removed', 'tolerated']) {
    expect(annotationsOf(fixtures[name] ?? resultsOf([], []))).toEqual([]);
  }
});

test('a failed kernel is an error, an inconclusive comparison a warning', () => {
  const failed = kernelResult('5.10', {
    error: { kind: 'vm', message: 'no `init`', hint: null, consoleTail: [], benches: [] },
  });
  const undecided = [...pair(1, null, { unit: 'ms' }), ...pair(null, 1, { unit: 'us' })];
  expect(annotationsOf(resultsOf(undecided, [failed, kernelResult('6.1')]))).toMatchObject([
    { level: 'error', title: 'bpfgate: 5.10 (5.10.262) could not be measured', message: 'no `init`' },
    { level: 'warning', title: 'bpfgate: fun_xdp cannot be decided' },
  ]);
});

test('a bench that failed on several kernels is one error, with what to do', () => {
  const failedOn = (id: string) => {
    const message = `bench \`micro\` exited with 1 on head, kernel ${id}, reading 1; its stderr ends with:\nno queue`;
    const benches = [{ name: 'micro', revision: 'head' as const }];
    return kernelResult(id, { error: { kind: 'bench', message, hint: 'look', consoleTail: [], benches } });
  };
  const everywhere = ['5.10', '6.1'].flatMap((kernel) => pair(1, 1, { kernel }));
  expect(annotationsOf(resultsOf(everywhere, ['5.10', '6.1'].map(failedOn)))).toMatchObject([
    {
      title: 'bpfgate: bench micro failed on 5.10 and 6.1',
      message: [
        'bench `micro` exited with 1 on head; its stderr ends with:',
        'no queue',
        'next: look',
        repeat.replace('--lanes instructions --bench macro', '--bench micro'),
      ].join('\n'),
    },
  ]);
});

test.each([
  [10, 0, 10, 'bpfgate: b1 regressed'],
  [11, 0, 10, 'bpfgate: 2 more errors'],
  [300, 0, 10, 'bpfgate: 291 more errors'],
  [9, 1, 9, 'bpfgate: b1 regressed'],
  [10, 1, 9, 'bpfgate: 2 more errors'],
])('%d regressions and %d other errors are %d annotations, of which the last is %j', (count, others, shown, last) => {
  const measurements = Array.from({ length: count }, (_, index) =>
    pair(1000, 1001 + index, { benchmark: `b${index + 1}` }),
  ).flat();
  const annotations = annotationsOf(resultsOf(measurements, [kernelResult('6.1')]), others);
  expect(annotations).toHaveLength(shown);
  expect(annotations[0]?.title).toBe(`bpfgate: b${count} regressed`);
  expect(annotations.at(-1)?.title).toBe(last);
});

test('a hostile name adds no line to a title', () => {
  for (const { title, file } of annotationsOf(fixtures['hostile-names'] ?? resultsOf([], []))) {
    expect(title + file).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});

test('a program with known lines is annotated at the one that grew most', () => {
  const file = 'example-project/xdp-ebpf/src/main.rs';
  const [looping, grown] = annotationsOf(fixtures['grown-lines'] ?? resultsOf([], []));
  expect(grown).toMatchObject({ level: 'error', file, line: 51, title: 'bpfgate: fun_xdp regressed' });
  expect(grown?.message.split('\n')).toEqual([
    '+28 instructions per run on 3 kernels',
    `at \`${file}:42\`; \`${file}:51\` compiles to 21 more machine instructions`,
    expect.stringMatching(/^macro\/fun_xdp: 5\.10: 160 → 188, \+28/),
    expect.stringMatching(/^macro\/fun_xdp #2: 5\.10: 300 → 328, \+28/),
    'source lines that compile to more machine instructions, on 6.12:',
    `${file}:51: +21, 0 → 21`,
    `${file}:48: +4, 9 → 13`,
    'aya-ebpf-0.2.1/src/maps/queue.rs:70: +1, 4 → 5',
    'In the report: lines that grew, how to accept it',
    repeat.replace('6.1', '6.12'),
  ]);
  // No line grew, so the annotation stays at the program.
  expect(looping).toMatchObject({ file: 'src/looping.bpf.c', line: 7 });
  expect(looping?.message).toContain('no source line compiles to more machine instructions on 6.12');
});
