// A hundred BPF programs of various lengths and types, run by BPF_PROG_TEST_RUN. Head has one more instruction in each,
// at varying places: bpfgate must find every one, and by exactly one instruction.

#include "extra.h"
#include "raw-program.h"

enum { PROGRAMS = 100, RUNS = 100, LONGEST = 64 };

static const __u32 types[] = {
	BPF_PROG_TYPE_XDP,
	BPF_PROG_TYPE_SOCKET_FILTER,
	BPF_PROG_TYPE_SCHED_CLS,
	BPF_PROG_TYPE_CGROUP_SKB,
};

// The added instruction changes only r7, which nothing else reads. The program takes the same path, with one
// instruction more.
static int write_program(struct bpf_insn *out, int number)
{
	int length = 4 + number % 50, extra_at = number * 7 % length, count = 0;
	out[count++] = insn(BPF_ALU64 | BPF_MOV | BPF_K, 6, 0, 0, number);
	out[count++] = insn(BPF_ALU64 | BPF_MOV | BPF_K, 7, 0, 0, 0);
	for (int i = 0; i < length; i++) {
		if (EXTRA && i == extra_at)
			out[count++] = insn(BPF_ALU64 | BPF_ADD | BPF_K, 7, 0, 0, 1);
		switch ((number + i) % 5) {
		case 0:
			out[count++] = insn(BPF_ALU64 | BPF_ADD | BPF_K, 6, 0, 0, i);
			break;
		case 1:
			out[count++] = insn(BPF_ALU64 | BPF_XOR | BPF_K, 6, 0, 0, 0x55);
			break;
		case 2:
			out[count++] = insn(BPF_STX | BPF_MEM | BPF_DW, 10, 6, -8, 0);
			break;
		case 3:
			out[count++] = insn(BPF_ALU | BPF_MUL | BPF_K, 6, 0, 0, 3);
			break;
		case 4:
			// Jumps to the next instruction, whether the jump is taken or not.
			out[count++] = insn(BPF_JMP | BPF_JSET | BPF_K, 6, 0, 1, 1);
			out[count++] = insn(BPF_ALU64 | BPF_ADD | BPF_K, 6, 0, 0, 2);
			break;
		}
	}
	out[count++] = insn(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1);
	out[count++] = insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return count;
}

int main(void)
{
	for (int number = 0; number < PROGRAMS; number++) {
		struct bpf_insn program[2 * LONGEST + 8];
		char name[16];
		int count = write_program(program, number);

		snprintf(name, sizeof(name), "p%02d", number);
		if (run_program(name, types[number % 4], program, count, RUNS) < 0) {
			fprintf(stderr, "program %d: %s\n", number, strerror(errno));
			return 1;
		}
	}
	return 0;
}
