// Prerequisites, pure: what `bpfgate doctor` prints.

import { lacking } from './check.ts';
import { optionalGroups, type PrerequisiteStatus, prerequisiteGroups } from './prerequisite.ts';

const titles = {
  vm: 'to boot kernels',
  agent: 'to build the guest agent',
  example: 'to build the example project',
  'kernel-build': 'to build kernels from source, which few need',
} as const;

/** One line per prerequisite, and below each lack what it is for and the command that mends it. */
export function renderPrerequisites(statuses: readonly PrerequisiteStatus[]): string {
  const width = Math.max(0, ...statuses.map((status) => status.prerequisite.name.length));
  const sections = prerequisiteGroups.flatMap((group) => {
    const own = statuses.filter((status) => status.prerequisite.group === group);
    if (own.length === 0) return [];
    return [[`${titles[group]}:`, ...own.flatMap((status) => renderStatus(status, width))].join('\n')];
  });
  const lacks = lacking(statuses).filter(({ prerequisite }) => !optionalGroups.includes(prerequisite.group)).length;
  const verdict =
    lacks === 0 ? 'nothing is lacking' : `${lacks} lacking; \`bpfgate doctor --install\` installs what it can`;
  return [...sections, verdict].join('\n\n');
}

function renderStatus({ prerequisite, present, version, path, problem, remedy }: PrerequisiteStatus, width: number) {
  const name = prerequisite.name.padEnd(width);
  if (present) return [`  ok       ${name}  ${version ?? ''}`.trimEnd()];
  const what = `${path === null ? '' : `${path} `}${problem}; needed to ${prerequisite.purpose}`;
  const word = optionalGroups.includes(prerequisite.group) ? 'absent ' : 'lacking';
  return [`  ${word}  ${name}  ${what}`, `           ${' '.repeat(width)}  mend: ${remedy}`];
}
