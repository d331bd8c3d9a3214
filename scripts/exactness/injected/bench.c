// A hundred BPF programs, each of its own length and type, run by BPF_PROG_TEST_RUN. Head has one more instruction in
// each, at another place in each: bpfgate must find every one, and by exactly one instruction.

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "extra.h"

enum { PROGRAMS = 100, RUNS = 100, LONGEST = 64 };

static const __u32 types[] = {
	BPF_PROG_TYPE_XDP,
	BPF_PROG_TYPE_SOCKET_FILTER,
	BPF_PROG_TYPE_SCHED_CLS,
	BPF_PROG_TYPE_CGROUP_SKB,
};

static struct bpf_insn insn(__u8 code, __u8 to, __u8 from, __s16 offset, __s32 immediate)
{
	return (struct bpf_insn){ .code = code, .dst_reg = to, .src_reg = from, .off = offset, .imm = immediate };
}

// What is added changes nothing but r7, which nothing else reads: the same way is taken through the program, and one
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
			// Over the next one, whether it is taken or not.
			out[count++] = insn(BPF_JMP | BPF_JSET | BPF_K, 6, 0, 1, 1);
			out[count++] = insn(BPF_ALU64 | BPF_ADD | BPF_K, 6, 0, 0, 2);
			break;
		}
	}
	out[count++] = insn(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1);
	out[count++] = insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return count;
}

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int run_program(int number)
{
	struct bpf_insn program[2 * LONGEST + 8];
	unsigned char packet[64] = { 0 };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = types[number % 4];
	attr.insn_cnt = write_program(program, number);
	attr.insns = (__u64)program;
	attr.license = (__u64) "GPL";
	snprintf(attr.prog_name, sizeof(attr.prog_name), "p%02d", number);
	int fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		return -1;

	int result;
	do {
		memset(&attr, 0, sizeof(attr));
		attr.test.prog_fd = fd;
		attr.test.data_in = (__u64)packet;
		attr.test.data_size_in = sizeof(packet);
		attr.test.repeat = RUNS;
		result = bpf(BPF_PROG_TEST_RUN, &attr);
	} while (result < 0 && errno == EINTR);
	close(fd);
	return result;
}

int main(void)
{
	for (int number = 0; number < PROGRAMS; number++) {
		if (run_program(number) < 0) {
			fprintf(stderr, "program %d: %s\n", number, strerror(errno));
			return 1;
		}
	}
	return 0;
}
