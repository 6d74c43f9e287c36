// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scalable TCP (Kelly, "Scalable TCP: improving performance in highspeed wide area networks", CCR 33(2), 2003).

#include "kernel.bpf.h"

// One segment for so many acknowledged: Kelly's a of 0.01.
#define EACH 100
// Up to here it is Reno (Kelly §3.1, the legacy window).
#define LEGACY_WINDOW 16

struct scalable {
	u64 credit;
};

SEC("struct_ops/cong_avoid") void scalable_cong_avoid(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct scalable *ca = (void *)((struct inet_connection_sock *)tp)->icsk_ca_priv;
	u32 acked = after_slow_start(tp, args[2]), window = tp->snd_cwnd;
	u32 legacy = FP_LINUX ? EACH : LEGACY_WINDOW;

	if (acked)
		grow(tp, &ca->credit, (u64)acked * ONE, window <= legacy ? window : EACH);
}

SEC("struct_ops/ssthresh") u32 scalable_ssthresh(u64 *args)
{
	struct tcp_sock *tp = (void *)args[0];
	struct scalable *ca = (void *)((struct inet_connection_sock *)tp)->icsk_ca_priv;
	u32 window = tp->snd_cwnd;

	ca->credit = 0;
	if (FP_LINUX)
		return two_at_least(window - window / 8);
	if (window <= LEGACY_WINDOW)
		return two_at_least(window / 2);
	return window - (window + 7) / 8;
}

SEC("struct_ops/undo_cwnd") u32 scalable_undo_cwnd(u64 *args)
{
	return tcp_reno_undo_cwnd((void *)args[0]);
}

SEC(".struct_ops") struct tcp_congestion_ops FP_NAME = {
	.cong_avoid = scalable_cong_avoid,
	.ssthresh = scalable_ssthresh,
	.undo_cwnd = scalable_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = TEXT(FP_NAME),
};
