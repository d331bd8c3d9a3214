// A BPF program of many equal steps, run by BPF_PROG_TEST_RUN. The file `percent` sets their number: 100 in base, 110
// or 125 in head. Its time per run is the kernel's own measurement.

#include "raw-program.h"

enum {
	PERCENT =
#include "percent"
};

// Long enough to make the overhead (two clock readings a run) a small part of its time.
enum { STEPS = 40 * PERCENT, RUNS = 10000 };

int main(void)
{
	static struct bpf_insn program[STEPS + 3];
	int count = 0;

	program[count++] = insn(BPF_ALU64 | BPF_MOV | BPF_K, 6, 0, 0, 1);
	for (int i = 0; i < STEPS; i++)
		program[count++] = insn(BPF_ALU64 | BPF_ADD | BPF_K, 6, 0, 0, 3);
	program[count++] = insn(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1);
	program[count++] = insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);

	int result = run_program("add", BPF_PROG_TYPE_XDP, program, count, RUNS);
	if (result < 0)
		perror("running the program");
	return result < 0;
}
