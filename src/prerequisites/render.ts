// Prerequisites, pure: what `bpfgate doctor` prints.

import { lacking } from './check.ts';
import { optionalGroups, type PrerequisiteGroup, type PrerequisiteStatus, prerequisiteGroups } from './prerequisite.ts';

const titles = {
  vm: 'to boot kernels',
  agent: 'to build the guest agent',
  example: 'to build the example project',
  'kernel-build': 'to build kernels from source, which few need',
  'virtme-ng': 'to boot kernels with the runner virtme-ng, which is not the default',
  isolation: 'to keep guests from this host, without which they run as well',
  tests: "to build what bpfgate's own tests measure",
} as const;

/**
 * One line per prerequisite, and below each lack what it is for and the command that mends it.
 *
 * @param optional groups whose lacks do not count
 */
export function renderPrerequisites(
  statuses: readonly PrerequisiteStatus[],
  optional: readonly PrerequisiteGroup[] = optionalGroups,
): string {
  const width = Math.max(0, ...statuses.map((status) => status.prerequisite.name.length));
  const sections = prerequisiteGroups.flatMap((group) => {
    const own = statuses.filter((status) => status.prerequisite.group === group);
    if (own.length === 0) return [];
    return [[`${titles[group]}:`, ...own.flatMap((status) => renderStatus(status, width, optional))].join('\n')];
  });
  const lacks = lacking(statuses).filter(({ prerequisite }) => !optional.includes(prerequisite.group)).length;
  const verdict =
    lacks === 0 ? 'nothing is lacking' : `${lacks} lacking; \`bpfgate doctor --install\` installs what it can`;
  return [...sections, verdict].join('\n\n');
}

function renderStatus(
  { prerequisite, present, version, path, problem, remedy }: PrerequisiteStatus,
  width: number,
  optional: readonly PrerequisiteGroup[],
) {
  const name = prerequisite.name.padEnd(width);
  if (present) return [`  ok       ${name}  ${version ?? ''}`.trimEnd()];
  const what = `${path === null ? '' : `${path} `}${problem}; needed to ${prerequisite.purpose}`;
  const word = optional.includes(prerequisite.group) ? 'absent ' : 'lacking';
  return [`  ${word}  ${name}  ${what}`, `           ${' '.repeat(width)}  mend: ${remedy}`];
}
