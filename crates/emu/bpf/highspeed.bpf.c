// SPDX-License-Identifier: MIT OR Apache-2.0
//
// HighSpeed TCP (RFC 3649): steps and cuts that depend on the window.

#include "kernel.bpf.h"

// Low_Window (RFC 3649 §5): up to here it is Reno.
#define LOW_WINDOW 38

struct highspeed {
	u64 credit; // in Linux the steps of ACKs that have not become a segment
	u32 window; // that `step` is for
	// Segments a round trip, 16 bits behind the point. In Linux the row of its table that ACKs in avoidance moved to, from 0.
	u32 step;
};

#if FP_LINUX

#define ROWS 72

// RFC 3649's table 12 as far as Linux has it: row i, from 0, is for windows up to the first figure, whose
// step is i + 1 segments; a loss takes the second figure's 256ths.
static const struct {
	u32 edge;
	u32 part;
} table[ROWS] = {
	{38, 128}, {118, 112}, {221, 104}, {347, 98}, {495, 93}, {663, 89},
	{851, 86}, {1058, 83}, {1284, 81}, {1529, 78}, {1793, 76}, {2076, 74},
	{2378, 72}, {2699, 71}, {3039, 69}, {3399, 68}, {3778, 66}, {4177, 65},
	{4596, 64}, {5036, 62}, {5497, 61}, {5979, 60}, {6483, 59}, {7009, 58},
	{7558, 57}, {8130, 56}, {8726, 55}, {9346, 54}, {9991, 53}, {10661, 52},
	{11358, 52}, {12082, 51}, {12834, 50}, {13614, 49}, {14424, 48}, {15265, 48},
	{16137, 47}, {17042, 46}, {17981, 45}, {18955, 45}, {19965, 44}, {21013, 43},
	{22101, 43}, {23230, 42}, {24402, 41}, {25618, 41}, {26881, 40}, {28193, 39},
	{29557, 39}, {30975, 38}, {32450, 38}, {33986, 37}, {35586, 36}, {37253, 36},
	{38992, 35}, {40808, 35}, {42707, 34}, {44694, 33}, {46776, 33}, {48961, 32},
	{51258, 32}, {53677, 31}, {56230, 30}, {58932, 30}, {61799, 29}, {64851, 28},
	{68113, 28}, {71617, 27}, {75401, 26}, {79517, 26}, {84035, 25}, {89053, 24},
};

INLINE u32 row(u32 window)
{
	u32 at = 0;

	for (u32 i = 0; i < ROWS - 1; i++)
		if (table[i].edge < window)
			at = i + 1;
	return at;
}

// The module takes a step for each ACK, whatever it acknowledges, and none for one of slow start.
SEC("struct_ops/cong_avoid") void highspeed_cong_avoid(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct highspeed *ca = (void *)((struct inet_connection_sock *)tp)->icsk_ca_priv;
	u32 window = tp->snd_cwnd, starts = window < tp->snd_ssthresh;

	if (!after_slow_start(tp, args[2]) || starts || window >= tp->snd_cwnd_clamp)
		return;
	if (ca->window != window) {
		ca->window = window;
		ca->step = row(window);
	}
	ca->credit += ca->step + 1;
	if (ca->credit >= window) {
		ca->credit -= window;
		tp->snd_cwnd = window + 1;
	}
}

// A half until avoidance has moved the row. The part that a loss takes is rounded down.
SEC("struct_ops/ssthresh") u32 highspeed_ssthresh(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct highspeed *ca = (void *)((struct inet_connection_sock *)tp)->icsk_ca_priv;
	u64 window = tp->snd_cwnd;
	u32 at = ca->step;

	ca->credit = 0;
	if (at >= ROWS)
		at = ROWS - 1;
	return two_at_least(window - (window * table[at].part >> 8));
}

#else

// log2 of Low_Window, and of High_Window over it (83 000), 16 bits behind the point.
#define LOG_LOW 343928
#define LOG_RANGE 726984
// 0.5 − 0.1: what b(w) loses between the two (RFC 3649 §5).
#define CUT_RANGE 26214
// 2 · 0.078: a(w) = w² p(w) 2b/(2 − b) with p(w) = 0.078 / w^1.2 (RFC 3649 §5).
#define FACTOR 10224

// log2, 16 bits behind the point; x is at least 1.
INLINE u32 log2_of(u32 x)
{
	u32 whole = 0, part = 0;
	u64 y;

	for (u32 bit = 16; bit; bit >>= 1)
		if (x >> (whole + bit))
			whole += bit;
	y = (u64)x << (31 - whole);
	for (u32 i = 0; i < 16; i++) {
		y = y * y >> 31;
		part <<= 1;
		if (y >> 32) {
			y >>= 1;
			part |= 1;
		}
	}
	return whole * ONE + part;
}

// 2 to the power of x, both 16 bits behind the point; within 0.02 %.
INLINE u64 exp2_of(u32 x)
{
	u64 f = x % ONE;
	u64 y = ONE + (f * (45560 + (f * (14823 + (f * 5125 >> 16)) >> 16)) >> 16);

	return y << (x / ONE & 31);
}

INLINE u32 cut(u32 window)
{
	if (window <= LOW_WINDOW)
		return ONE / 2;
	return ONE / 2 - (u64)(log2_of(window) - LOG_LOW) * CUT_RANGE / LOG_RANGE;
}

INLINE u32 step(u32 window)
{
	u64 b, a;

	if (window <= LOW_WINDOW)
		return ONE;
	b = cut(window);
	a = exp2_of(log2_of(window) * 4ull / 5) * FACTOR >> 16;
	a = a * b / (2 * ONE - b);
	return a < ONE ? ONE : a;
}

SEC("struct_ops/cong_avoid") void highspeed_cong_avoid(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct highspeed *ca = (void *)((struct inet_connection_sock *)tp)->icsk_ca_priv;
	u32 acked = after_slow_start(tp, args[2]), window = tp->snd_cwnd;

	if (!acked)
		return;
	if (ca->window != window) {
		ca->window = window;
		ca->step = step(window);
	}
	grow(tp, &ca->credit, (u64)acked * ca->step, window);
}

SEC("struct_ops/ssthresh") u32 highspeed_ssthresh(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct highspeed *ca = (void *)((struct inet_connection_sock *)tp)->icsk_ca_priv;
	u64 window = tp->snd_cwnd;

	ca->credit = 0;
	return two_at_least(window * (ONE - cut(window)) >> 16);
}

#endif

SEC("struct_ops/undo_cwnd") u32 highspeed_undo_cwnd(u64 *args)
{
	return tcp_reno_undo_cwnd((void *)args[0]);
}

SEC(".struct_ops") struct tcp_congestion_ops FP_NAME = {
	.cong_avoid = highspeed_cong_avoid,
	.ssthresh = highspeed_ssthresh,
	.undo_cwnd = highspeed_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = TEXT(FP_NAME),
};
