// Makes and runs BPF programs without a library, for the projects that scripts measure.

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline struct bpf_insn insn(__u8 code, __u8 to, __u8 from, __s16 offset, __s32 immediate)
{
	return (struct bpf_insn){ .code = code, .dst_reg = to, .src_reg = from, .off = offset, .imm = immediate };
}

static inline long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

// Loads a program; `attr` may already hold further attributes. Returns the result of bpf(2).
static inline int load_program(union bpf_attr *attr, const char *name, int type, const struct bpf_insn *insns, int count)
{
	attr->prog_type = type;
	attr->insn_cnt = count;
	attr->insns = (__u64)insns;
	attr->license = (__u64) "GPL";
	snprintf(attr->prog_name, sizeof(attr->prog_name), "%s", name);
	return bpf(BPF_PROG_LOAD, attr);
}

// Runs a program on an empty packet. Returns the result of bpf(2).
static inline int test_program(int program, int runs)
{
	unsigned char packet[64] = { 0 };
	union bpf_attr attr;
	int result;

	do {
		memset(&attr, 0, sizeof(attr));
		attr.test.prog_fd = program;
		attr.test.data_in = (__u64)packet;
		attr.test.data_size_in = sizeof(packet);
		attr.test.repeat = runs;
		result = bpf(BPF_PROG_TEST_RUN, &attr);
	} while (result < 0 && errno == EINTR);
	return result;
}

// Loads a program and runs it on an empty packet. Returns the result of bpf(2) if either fails.
static inline int run_program(const char *name, int type, const struct bpf_insn *insns, int count, int runs)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	int fd = load_program(&attr, name, type, insns, count);
	if (fd < 0)
		return fd;

	int result = test_program(fd, runs);
	close(fd);
	return result;
}
