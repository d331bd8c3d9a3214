// A BPF program of many equal steps, run by BPF_PROG_TEST_RUN. The file `percent` says how many: 100 in base, 110 or 125
// in head. Its time per run is the kernel's own count.

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PERCENT =
#include "percent"
};

// Long enough that what is not the program's own (two clock readings a run) is a small part of its time.
enum { STEPS = 40 * PERCENT, RUNS = 10000 };

static struct bpf_insn insn(__u8 code, __u8 to, __u8 from, __s16 offset, __s32 immediate)
{
	return (struct bpf_insn){ .code = code, .dst_reg = to, .src_reg = from, .off = offset, .imm = immediate };
}

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int main(void)
{
	static struct bpf_insn program[STEPS + 3];
	unsigned char packet[64] = { 0 };
	union bpf_attr attr;
	int count = 0;

	program[count++] = insn(BPF_ALU64 | BPF_MOV | BPF_K, 6, 0, 0, 1);
	for (int i = 0; i < STEPS; i++)
		program[count++] = insn(BPF_ALU64 | BPF_ADD | BPF_K, 6, 0, 0, 3);
	program[count++] = insn(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1);
	program[count++] = insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.insn_cnt = count;
	attr.insns = (__u64)program;
	attr.license = (__u64) "GPL";
	snprintf(attr.prog_name, sizeof(attr.prog_name), "add");
	int fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0) {
		perror("loading");
		return 1;
	}

	int result;
	do {
		memset(&attr, 0, sizeof(attr));
		attr.test.prog_fd = fd;
		attr.test.data_in = (__u64)packet;
		attr.test.data_size_in = sizeof(packet);
		attr.test.repeat = RUNS;
		result = bpf(BPF_PROG_TEST_RUN, &attr);
	} while (result < 0 && errno == EINTR);
	if (result < 0)
		perror("running");
	return result < 0;
}
