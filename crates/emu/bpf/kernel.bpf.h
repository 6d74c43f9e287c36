// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What our congestion controls know of the kernel. No header of the kernel is needed: a structure names
// the fields that are used, and the loader finds their places in the running kernel's BTF.
//
// Two macros are set on the compiler's command line: FP_NAME, the name of the algorithm and of its map, and
// FP_LINUX, 1 for the rules of a current kernel's module, 0 for those of the document.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;

#define SEC(name) __attribute__((section(name), used))
#define KERNEL __attribute__((preserve_access_index))
#define INLINE static inline __attribute__((always_inline))
#define QUOTED(name) #name
#define TEXT(name) QUOTED(name)

// Fixed point: 16 bits behind the point.
#define ONE 65536

// Whole, since the kernel compares kinds, and nothing of it is used.
struct sock {};

struct inet_connection_sock {
	u64 icsk_ca_priv[13];
} KERNEL;

struct tcp_sock {
	u32 snd_cwnd;
	u32 snd_cwnd_clamp;
	u32 snd_ssthresh;
	u32 max_packets_out;
	u64 tcp_mstamp; // microseconds
	u8 is_cwnd_limited : 1;
} KERNEL;

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
} KERNEL;

struct tcp_congestion_ops {
	void (*init)(u64 *args);
	u32 (*ssthresh)(u64 *args);
	void (*cong_avoid)(u64 *args);
	void (*set_state)(u64 *args);
	void (*pkts_acked)(u64 *args);
	u32 (*undo_cwnd)(u64 *args);
	u32 flags;
	char name[16];
};

// Anybody may choose it, and a namespace may have it as its default.
#define TCP_CONG_NON_RESTRICTED 1
// A value of set_state: nothing is missing.
#define TCP_CA_OPEN 0

extern u32 tcp_slow_start(struct tcp_sock *tp, u32 acked) __attribute__((section(".ksyms")));
extern u32 tcp_reno_undo_cwnd(struct sock *sk) __attribute__((section(".ksyms")));

// Places of a bit field, as clang's __builtin_preserve_field_info numbers its questions.
#define BYTE_OFFSET 0
#define LEFT_SHIFT 4
#define RIGHT_SHIFT 5

// The window was what limited the sender since the last round (RFC 7661's idea as Linux has it): in
// slow start it may be up to twice what was in flight.
INLINE int window_is_used(struct tcp_sock *tp)
{
	u32 place = __builtin_preserve_field_info(tp->is_cwnd_limited, BYTE_OFFSET);
	u64 field = *((u8 *)tp + place);

	field <<= __builtin_preserve_field_info(tp->is_cwnd_limited, LEFT_SHIFT);
	field >>= __builtin_preserve_field_info(tp->is_cwnd_limited, RIGHT_SHIFT);
	if (field)
		return 1;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

// Slow start takes what it needs of `acked` segments. Returns what is left for avoidance.
INLINE u32 after_slow_start(struct tcp_sock *tp, u32 acked)
{
	if (!window_is_used(tp))
		return 0;
	if (tp->snd_cwnd < tp->snd_ssthresh)
		return tcp_slow_start(tp, acked);
	return acked;
}

// One segment more for every `each` segments of credit, and `earned` (16 bits behind the point) is added
// to the credit. When `each` falls below what waits, one is due at once and the rest is forgotten.
INLINE void grow(struct tcp_sock *tp, u64 *credit, u64 earned, u32 each)
{
	u64 waiting = *credit, price = (u64)each * ONE, due = 0, window;

	if (price == 0)
		return;
	if (waiting >= price) {
		waiting = 0;
		due = 1;
	}
	waiting += earned;
	if (waiting >= price) {
		u64 more = waiting / price;

		waiting -= more * price;
		due += more;
	}
	*credit = waiting;
	window = tp->snd_cwnd + due;
	if (window > tp->snd_cwnd_clamp)
		window = tp->snd_cwnd_clamp;
	tp->snd_cwnd = window;
}

// No loss leaves fewer than two segments (RFC 5681 §3.1).
INLINE u32 two_at_least(u32 window)
{
	return window < 2 ? 2 : window;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
