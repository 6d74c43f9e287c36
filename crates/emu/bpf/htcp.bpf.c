// SPDX-License-Identifier: MIT OR Apache-2.0
//
// H-TCP (Leith and Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004;
// draft-leith-tcp-htcp-06): steps that grow with the time since the last congestion, cuts by how full
// the queue was.

#include "kernel.bpf.h"

// Δ_L in microseconds: so long after congestion the step is Reno's.
#define RENO_FOR 1000000
// β stays within a half and 0.8; 16 bits behind the point, and 128ths in Linux.
#define LEAST_BETA (FP_LINUX ? 64 : ONE / 2)
#define LARGEST_BETA (FP_LINUX ? 102 : 52429)
#define WHOLE_BETA (FP_LINUX ? 128 : ONE)
// Linux scales steps by the round trip over 100 ms, within 0.1 and 2.
#define SCALE_RTT 100000
#define LEAST_SCALED 10000
#define LARGEST_SCALED 200000
// Linux does not believe a sample this much above the largest round trip, in microseconds.
#define RTT_STEP 20000
// Linux sets β by round trips longer than this only, in microseconds.
#define LEAST_RTT 10000
// (Δ − 1 s) beyond this is taken for it, in milliseconds: hours, where products would not fit.
#define LONGEST 10000000ull

struct epoch {
	u64 congested; // when it began, microseconds
	u64 rate;      // largest throughput of the epoch before it, segments in a thousand seconds
	u32 rtt_max;   // microseconds
};

struct htcp {
	struct epoch now, before;
	u64 credit; // in Linux segments acknowledged towards the next one
	u64 measured; // since when `delivered` is counted, microseconds
	u32 delivered;
	u32 beta;
	u32 rtt_min;
	u32 alpha;    // in Linux, 128ths, of the last growth or cut; 0 before
	u8 unquiet;   // not in the open state
	u8 adaptive;  // β may follow the queue at the next congestion
	u8 repairing;
	u64 rate, rate_max;
};

_Static_assert(sizeof(struct htcp) <= 13 * 8, "the kernel has 104 bytes for it");

#define STATE(tp) ((struct htcp *)((struct inet_connection_sock *)(tp))->icsk_ca_priv)

INLINE u64 since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

// f(Δ), 16 bits behind the point.
INLINE u64 pace(u64 us)
{
	u64 ms;

	if (us <= RENO_FOR)
		return ONE;
	us -= RENO_FOR;
	ms = us / 1000;
	if (ms > LONGEST) {
		ms = LONGEST;
		us = LONGEST * 1000;
	}
	// 10 x and (x/2)², 65536ths of a segment: 0.65536 a microsecond, 0.016384 a squared millisecond.
	return ONE + us * 4096 / 6250 + ms * ms * 2048 / 125000;
}

// α, segments in a round trip, 16 bits behind the point.
INLINE u64 step(struct htcp *ca, u64 now)
{
	u64 f = pace(since(now, ca->now.congested)), alpha, scaled = ca->rtt_min;

	if (!FP_LINUX)
		return 2 * (ONE - (u64)ca->beta) * f / ONE;
	f /= ONE;
	if (scaled) {
		if (scaled < LEAST_SCALED)
			scaled = LEAST_SCALED;
		if (scaled > LARGEST_SCALED)
			scaled = LARGEST_SCALED;
		f = f * scaled / SCALE_RTT;
		if (!f)
			f = 1;
	}
	alpha = 2 * f * (128 - (u64)ca->beta);
	return (alpha ? alpha : 1) * (ONE / 128);
}

INLINE void choose_beta(struct htcp *ca)
{
	u64 is = ca->rate_max, was = ca->now.rate, beta = LEAST_BETA;
	u64 change = is > was ? is - was : was - is;
	int steady = change * 5 <= was, armed;

	ca->now.rate = is;
	armed = FP_LINUX ? ca->adaptive && ca->rtt_min > LEAST_RTT : 1;
	ca->adaptive = steady;
	if (steady && armed && ca->now.rtt_max) {
		beta = (u64)ca->rtt_min * WHOLE_BETA / ca->now.rtt_max;
		if (beta < LEAST_BETA)
			beta = LEAST_BETA;
		if (beta > LARGEST_BETA)
			beta = LARGEST_BETA;
	}
	ca->beta = beta;
}

INLINE void note_rtt(struct htcp *ca, u32 rtt)
{
	if (!ca->rtt_min || rtt < ca->rtt_min)
		ca->rtt_min = rtt;
	if (ca->now.rtt_max < ca->rtt_min)
		ca->now.rtt_max = ca->rtt_min;
	if (FP_LINUX && (ca->unquiet || rtt > ca->now.rtt_max + RTT_STEP))
		return;
	if (rtt > ca->now.rtt_max)
		ca->now.rtt_max = rtt;
}

// A sample of the throughput for every window of data that took a round trip at least.
INLINE void note_throughput(struct htcp *ca, struct tcp_sock *tp, u32 acked)
{
	u64 now = tp->tcp_mstamp, span = since(now, ca->measured), sample;

	ca->delivered += acked;
	if (!ca->rtt_min || !span || ca->delivered + 1 < tp->snd_cwnd || span < ca->rtt_min)
		return;
	sample = (u64)ca->delivered * 1000000000 / span;
	if (since(now, ca->now.congested) <= 3ull * ca->rtt_min) {
		// Just after congestion: begin anew.
		ca->rate = sample;
		ca->rate_max = sample;
	} else {
		ca->rate = (3 * ca->rate + sample) / 4;
		if (ca->rate_max < ca->rate)
			ca->rate_max = ca->rate;
	}
	ca->delivered = 0;
	ca->measured = now;
}

SEC("struct_ops/init") void htcp_init(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct htcp *ca = STATE(tp);

	ca->beta = LEAST_BETA;
	ca->now.congested = tp->tcp_mstamp;
	ca->measured = tp->tcp_mstamp;
}

SEC("struct_ops/pkts_acked") void htcp_pkts_acked(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct ack_sample *sample = (void *)args[1];
	struct htcp *ca = STATE(tp);
	s32 rtt = sample->rtt_us;

	if (rtt > 0)
		note_rtt(ca, rtt);
	if (ca->unquiet) {
		ca->delivered = 0;
		ca->measured = tp->tcp_mstamp;
	} else {
		note_throughput(ca, tp, sample->pkts_acked);
	}
}

SEC("struct_ops/cong_avoid") void htcp_cong_avoid(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct htcp *ca = STATE(tp);
	u32 window = tp->snd_cwnd, starts = window < tp->snd_ssthresh;
	u32 acked = after_slow_start(tp, args[2]);

	if (!acked)
		return;
	if (!FP_LINUX) {
		grow(tp, &ca->credit, step(ca, tp->tcp_mstamp) * acked, tp->snd_cwnd);
		return;
	}
	if (starts)
		return;
	// The module adds one segment at most for an ACK, does not count that ACK, and forgets what was counted beyond it.
	if (ca->credit * (ca->alpha ? ca->alpha : 128) / 128 < window) {
		ca->credit += acked;
		return;
	}
	if (window < tp->snd_cwnd_clamp)
		tp->snd_cwnd = window + 1;
	ca->credit = 0;
	ca->alpha = step(ca, tp->tcp_mstamp) / (ONE / 128);
}

SEC("struct_ops/ssthresh") u32 htcp_ssthresh(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct htcp *ca = STATE(tp);
	u64 window = tp->snd_cwnd;

	ca->before.congested = ca->now.congested;
	ca->before.rate = ca->now.rate;
	ca->before.rtt_max = ca->now.rtt_max;
	choose_beta(ca);
	ca->credit = 0;
	if (FP_LINUX)
		ca->alpha = step(ca, tp->tcp_mstamp) / (ONE / 128);
	ca->now.congested = tp->tcp_mstamp;
	ca->repairing = 1;
	// In the document RTT_max is of the epoch that ended; Linux lets it fade by a twentieth.
	if (FP_LINUX && ca->now.rtt_max > ca->rtt_min)
		ca->now.rtt_max = ca->rtt_min + (ca->now.rtt_max - ca->rtt_min) * 95ull / 100;
	else
		ca->now.rtt_max = ca->rtt_min;
	return two_at_least(window * ca->beta / WHOLE_BETA);
}

SEC("struct_ops/set_state") void htcp_set_state(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct htcp *ca = STATE(tp);

	ca->unquiet = (u8)args[1] != TCP_CA_OPEN;
	if (!ca->unquiet && ca->repairing) {
		ca->repairing = 0;
		if (FP_LINUX)
			ca->now.congested = tp->tcp_mstamp;
	}
}

// The epoch goes on as if nothing had been.
SEC("struct_ops/undo_cwnd") u32 htcp_undo_cwnd(u64 *args)
{
	struct htcp *ca = STATE((void *)args[0]);

	ca->now.congested = ca->before.congested;
	ca->now.rate = ca->before.rate;
	ca->now.rtt_max = ca->before.rtt_max;
	ca->repairing = 0;
	return tcp_reno_undo_cwnd((void *)args[0]);
}

SEC(".struct_ops") struct tcp_congestion_ops FP_NAME = {
	.init = htcp_init,
	.pkts_acked = htcp_pkts_acked,
	.cong_avoid = htcp_cong_avoid,
	.ssthresh = htcp_ssthresh,
	.set_state = htcp_set_state,
	.undo_cwnd = htcp_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = TEXT(FP_NAME),
};
