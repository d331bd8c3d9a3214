// A capture file with packets of a project.

import { InputError } from '../../../src/common/errors.ts';
import { maxPackets, parseCapture } from '../../../src/inputs/packets.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'bytes',
  refusals: [InputError],
  run(input) {
    const frames = parseCapture(input, 'own.pcap');
    check(frames.length > 0 && frames.length <= maxPackets, `${frames.length} packets`);
    const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
    check(bytes + 16 * frames.length + 24 === input.length, 'bytes that belong to no packet');
  },
};
