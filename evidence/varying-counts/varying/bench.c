// BPF programs with inherently varying counts: random keys, reader wake-ups, eviction, printing, copies from user
// space, timers, locks, other processes' system calls. Each kind comes in several sizes.

#include "raw-program.h"
#include <fcntl.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>

// What each program has more: nothing, an instruction, or a call. And how many random numbers are drawn before.
enum {
	GIVEN =
#include "aya-log-ebpf/src/extra"
	,
	EXTRA = GIVEN % 3,
	DRAWN = GIVEN / 3
};
enum { SIZES = 4, RUNS = 200, ENTRIES = 512, RING_BYTES = 1 << 16, MOST_INSNS = 128 };

static struct bpf_insn program[MOST_INSNS];
static int count;

static void add(__u8 code, __u8 to, __u8 from, __s16 offset, __s32 immediate)
{
	program[count++] = insn(code, to, from, offset, immediate);
}

static void call(int helper)
{
	add(BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void set(__u8 to, __s32 value)
{
	add(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}

static void load_map(__u8 to, int map)
{
	add(BPF_LD | BPF_IMM | BPF_DW, to, BPF_PSEUDO_MAP_FD, 0, map);
	add(0, 0, 0, 0, 0);
}

static void stack_address(__u8 to, __s32 offset)
{
	add(BPF_ALU64 | BPF_MOV | BPF_X, to, 10, 0, 0);
	add(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, offset);
}

// Sets r0 to a random number of `bits` bits, and stores it at r10 - 8 as key or value.
static void store_random(int bits)
{
	call(BPF_FUNC_get_prandom_u32);
	add(BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, (1 << bits) - 1);
	add(BPF_STX | BPF_MEM | BPF_DW, 10, 0, -8, 0);
}

// Loops as many times as a random number of `bits` bits.
static void random_steps(int bits)
{
	store_random(bits);
	set(7, 0);
	add(BPF_JMP | BPF_JGE | BPF_X, 7, 0, 2, 0);
	add(BPF_ALU64 | BPF_ADD | BPF_K, 7, 0, 0, 1);
	add(BPF_JMP | BPF_JLT | BPF_K, 7, 0, -3, 1 << bits);
}

static void leave(int result)
{
	set(0, result);
	add(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void finish(int result)
{
	if (EXTRA == 1)
		set(0, 0);
	if (EXTRA == 2)
		call(BPF_FUNC_get_numa_node_id);
	leave(result);
}

static void require(long result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

// Types of values that hold a lock or a timer, and of the functions of a program with a callback.
enum { INT = 1, LONG, LOCK, TIMER, LOCKED, TIMED, PROTO, MAIN, CALLBACK };
// Offset of each name: 1 int, 5 long, 10 bpf_spin_lock, 24 bpf_timer, 34 first, 40 second, 47 value, 53 function.
static const char type_names[] = "\0int\0long\0bpf_spin_lock\0bpf_timer\0first\0second\0value\0function";
#define KIND(kind, members) ((kind) << 24 | (members))
static const __u32 types[] = {
	1,  KIND(BTF_KIND_INT, 0),    4,  BTF_INT_SIGNED << 24 | 32,
	5,  KIND(BTF_KIND_INT, 0),    8,  BTF_INT_SIGNED << 24 | 64,
	10, KIND(BTF_KIND_STRUCT, 1), 4,  34, INT, 0,
	24, KIND(BTF_KIND_STRUCT, 2), 16, 34, LONG, 0, 40, LONG, 64,
	47, KIND(BTF_KIND_STRUCT, 2), 16, 34, LOCK, 0, 40, LONG, 64,
	47, KIND(BTF_KIND_STRUCT, 1), 16, 34, TIMER, 0,
	0,  KIND(BTF_KIND_FUNC_PROTO, 0), INT,
	53, KIND(BTF_KIND_FUNC, BTF_FUNC_STATIC), PROTO,
	53, KIND(BTF_KIND_FUNC, BTF_FUNC_STATIC), PROTO,
};

static int load_types(void)
{
	static struct {
		struct btf_header header;
		char types[sizeof(types)], names[sizeof(type_names)];
	} btf = { .header = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(btf.header) } };
	union bpf_attr attr;

	btf.header.type_len = btf.header.str_off = sizeof(types);
	btf.header.str_len = sizeof(type_names);
	memcpy(btf.types, types, sizeof(types));
	memcpy(btf.names, type_names, sizeof(type_names));
	memset(&attr, 0, sizeof(attr));
	attr.btf = (__u64)&btf;
	attr.btf_size = sizeof(btf.header) + sizeof(types) + sizeof(type_names);
	int fd = bpf(BPF_BTF_LOAD, &attr);
	require(fd, "types");
	return fd;
}

// Makes an array with one value of a type.
static int make_typed_map(int value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = 16;
	attr.max_entries = 1;
	attr.btf_fd = load_types();
	attr.btf_key_type_id = INT;
	attr.btf_value_type_id = value;
	int map = bpf(BPF_MAP_CREATE, &attr);
	require(map, "typed map");
	return map;
}

// Sets r6 to the address of a map's only value. The program ends if there is none.
static void look_up(int map)
{
	add(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0);
	load_map(1, map);
	stack_address(2, -4);
	call(BPF_FUNC_map_lookup_elem);
	add(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 2, 0);
	leave(0);
	add(BPF_ALU64 | BPF_MOV | BPF_X, 6, 0, 0, 0);
}

static int make_map(int type, int key_bytes, int value_bytes, int entries)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key_bytes;
	attr.value_size = value_bytes;
	attr.max_entries = entries;
	int map = bpf(BPF_MAP_CREATE, &attr);
	require(map, "map");
	return map;
}

static int load(const char *name, int type)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	int fd = load_program(&attr, name, type, program, count);
	require(fd, name);
	return fd;
}

static void run(const char *name)
{
	require(run_program(name, BPF_PROG_TYPE_XDP, program, count, RUNS), name);
}

// Attaches the program to a function that every write calls, and writes.
static void run_on_writes(const char *name)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .sample_period = 1, .wakeup_events = 1 };
	FILE *type = fopen("/sys/bus/event_source/devices/kprobe/type", "r");
	int null = open("/dev/null", O_WRONLY);

	require(type == NULL || fscanf(type, "%u", &attr.type) != 1 ? -1 : 0, "kprobe");
	fclose(type);
	int target = load(name, BPF_PROG_TYPE_KPROBE);
	attr.kprobe_func = (__u64) "vfs_write";
	int event = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	require(event, name);
	require(ioctl(event, PERF_EVENT_IOC_SET_BPF, target), name);
	require(ioctl(event, PERF_EVENT_IOC_ENABLE, 0), name);
	for (int i = 0; i < RUNS; i++)
		require(write(null, "x", 1), name);
	close(event);
	close(target);
	close(null);
}

static void *read_ring(void *argument)
{
	int ring = *(int *)argument, page = getpagesize();
	volatile unsigned long *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	volatile unsigned long *producer = mmap(NULL, page + 2 * RING_BYTES, PROT_READ, MAP_SHARED, ring, page);
	struct epoll_event event = { .events = EPOLLIN };
	int poll = epoll_create1(0);

	if (consumer == MAP_FAILED || producer == MAP_FAILED || epoll_ctl(poll, EPOLL_CTL_ADD, ring, &event) < 0)
		return NULL;
	for (;;) {
		epoll_wait(poll, &event, 1, -1);
		*consumer = *producer;
	}
}

// Writes records to a ring buffer and wakes its reader, like aya-log's messages.
static void ring_buffer(const char *name, int size)
{
	static int ring;
	pthread_t reader;

	ring = make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, RING_BYTES);
	require(-pthread_create(&reader, NULL, read_ring, &ring), "reader");
	for (int i = 0; i <= size; i++) {
		store_random(16);
		load_map(1, ring);
		stack_address(2, -8);
		set(3, 8);
		set(4, 0);
		call(BPF_FUNC_ringbuf_output);
	}
	finish(0);
	run_on_writes(name);
}

static void update(const char *name, int type, int size)
{
	int map = make_map(type, 8, 8, ENTRIES);

	for (int i = 0; i <= size; i++) {
		store_random(type == BPF_MAP_TYPE_LRU_HASH ? 12 : 8);
		load_map(1, map);
		stack_address(2, -8);
		stack_address(3, -8);
		set(4, BPF_ANY);
		call(BPF_FUNC_map_update_elem);
	}
	finish(1);
	run(name);
}

static void lru(const char *name, int size)
{
	update(name, BPF_MAP_TYPE_LRU_HASH, size);
}

static void hash(const char *name, int size)
{
	update(name, BPF_MAP_TYPE_HASH, size);
}

static void print(const char *name, int size)
{
	for (int i = 0; i <= size; i++) {
		store_random(16);
		add(BPF_ALU64 | BPF_MOV | BPF_X, 3, 0, 0, 0);
		add(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, 'v' | ' ' << 8 | '%' << 16 | 'u' << 24);
		stack_address(1, -8);
		set(2, 8);
		call(BPF_FUNC_trace_printk);
	}
	finish(1);
	run(name);
}

static void loop(const char *name, int size)
{
	random_steps(5 + size);
	finish(1);
	run(name);
}

// Jumps to one of several programs of different lengths, chosen by a random number.
static void tail_call(const char *name, int size)
{
	int targets = 2 << size, map = make_map(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, targets);

	for (int key = 0; key < targets; key++) {
		union bpf_attr attr;

		count = 0;
		for (int i = 0; i < 3 * key; i++)
			set(0, i);
		finish(1);
		int target = load("target", BPF_PROG_TYPE_XDP);
		memset(&attr, 0, sizeof(attr));
		attr.map_fd = map;
		attr.key = (__u64)&key;
		attr.value = (__u64)&target;
		require(bpf(BPF_MAP_UPDATE_ELEM, &attr), "program array");
	}
	count = 0;
	add(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0);
	store_random(1 + size);
	add(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
	load_map(2, map);
	add(BPF_ALU64 | BPF_MOV | BPF_X, 3, 0, 0, 0);
	call(BPF_FUNC_tail_call);
	finish(1);
	run(name);
}

// Runs on every system call of the machine, and copies from the memory that the second argument points to.
static void user_copy(const char *name, int size)
{
	static char from[1 << 16];
	union bpf_attr attr;

	add(BPF_LDX | BPF_MEM | BPF_DW, 6, 1, 0, 0);
	// In struct pt_regs of x86-64, rsi is at offset 104.
	stack_address(1, -16);
	set(2, 8);
	add(BPF_ALU64 | BPF_MOV | BPF_X, 3, 6, 0, 0);
	add(BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, 104);
	call(BPF_FUNC_probe_read_kernel);
	stack_address(1, -16 - (64 << size) / 2);
	set(2, (64 << size) / 2);
	add(BPF_LDX | BPF_MEM | BPF_DW, 3, 10, -16, 0);
	call(BPF_FUNC_probe_read_user);
	finish(0);
	int target = load(name, BPF_PROG_TYPE_RAW_TRACEPOINT);
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (__u64) "sys_enter";
	attr.raw_tracepoint.prog_fd = target;
	int link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	require(link, name);
	for (int i = 0; i < RUNS; i++)
		syscall(SYS_getppid, 0, from + rand() % (sizeof(from) - 4096));
	close(link);
	close(target);
}

static void kprobe(const char *name, int size)
{
	random_steps(4 + size);
	finish(0);
	run_on_writes(name);
}

static void spin_lock(const char *name, int size)
{
	int map = make_typed_map(LOCKED);

	look_up(map);
	for (int i = 0; i <= size; i++) {
		call(BPF_FUNC_get_prandom_u32);
		add(BPF_ALU64 | BPF_MOV | BPF_X, 7, 0, 0, 0);
		add(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
		call(BPF_FUNC_spin_lock);
		add(BPF_STX | BPF_MEM | BPF_DW, 6, 7, 8, 0);
		add(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
		call(BPF_FUNC_spin_unlock);
	}
	finish(1);
	run(name);
}

// Starts a timer with a random delay below 2^(10 + 2 * size) ns: it fires during a later run, or between two.
static void timer(const char *name, int size)
{
	static struct bpf_func_info functions[] = { { .type_id = MAIN }, { .type_id = CALLBACK } };
	struct utsname system;
	int major, minor;

	uname(&system);
	if (sscanf(system.release, "%d.%d", &major, &minor) != 2 || major * 100 + minor < 515)
		return; // Timers came with 5.15.
	int map = make_typed_map(TIMED);
	look_up(map);
	add(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
	load_map(2, map);
	set(3, CLOCK_MONOTONIC);
	call(BPF_FUNC_timer_init);
	add(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
	int callback = count;
	add(BPF_LD | BPF_IMM | BPF_DW, 2, BPF_PSEUDO_FUNC, 0, 0);
	add(0, 0, 0, 0, 0);
	call(BPF_FUNC_timer_set_callback);
	store_random(10 + 2 * size);
	add(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
	add(BPF_ALU64 | BPF_MOV | BPF_X, 2, 0, 0, 0);
	set(3, 0);
	call(BPF_FUNC_timer_start);
	finish(1);
	program[callback].imm = count - callback - 1;
	functions[1].insn_off = count;
	finish(0);

	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.prog_btf_fd = load_types();
	attr.func_info_rec_size = sizeof(functions[0]);
	attr.func_info = (__u64)functions;
	attr.func_info_cnt = 2;
	int target = load_program(&attr, name, BPF_PROG_TYPE_XDP, program, count);
	require(target, name);
	require(test_program(target, RUNS), name);
	close(target);
}

static const struct {
	const char *name;
	void (*measure)(const char *name, int size);
} kinds[] = {
	{ "ring_reader", ring_buffer }, { "lru_random", lru },	       { "hash_random", hash },
	{ "printk", print },		{ "loop_random", loop },       { "tail_random", tail_call },
	{ "user_copy", user_copy },	{ "kprobe_write", kprobe },    { "spin_lock", spin_lock },
	{ "timer", timer },
};

// Equal boots draw equal numbers. Without a name it is taken for a loader's probe, which is not counted.
static void draw(int numbers)
{
	call(BPF_FUNC_get_prandom_u32);
	add(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	require(run_program("", BPF_PROG_TYPE_XDP, program, count, numbers), "draw");
}

int main(void)
{
	draw(1 + DRAWN);
	for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
		for (int size = 0; size < SIZES; size++) {
			char name[16];

			count = 0;
			snprintf(name, sizeof(name), "%s%d", kinds[kind].name, size);
			kinds[kind].measure(name, size);
		}
	return 0;
}
