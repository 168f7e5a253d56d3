"""The wire alone: bulk one way, and calls."""

import statistics

from table import Row, ratio_at_least, ratio_at_most

KB, MB = 1_000, 1_000_000


def measure(bench):
    with bench.node("--enable-test-service", "--camera", "synthetic:320x240@5") as node:
        for label, size, rate, cost, times_grpc in (
                ("60 KB", 60 * KB, 0.85, 1.25, 2.5), ("300 KB", 300 * KB, 0.85, 1.25, 2.5), ("4 MB", 4 * MB, 0.85, 1.25, None)):
            rounds = bench.interleaved(
                floor=lambda: bench.floor("socket-floor", "stream", size, bench.seconds),
                ours=lambda: bench.program("capture-bench", "download", node.address, node.pid, size, bench.seconds),
                grpc=lambda: bench.floor("grpc-peer", "stream", size, bench.seconds))
            bench.compare(rounds, f"stream of {label}, throughput", "GB/s", "gb_per_s", ratio_at_least(rate))
            bench.compare(rounds, f"stream of {label}, CPU of both ends", "s/GB", "cpu_s_per_gb", ratio_at_most(cost))
            if times_grpc:
                bench.compare(rounds, "  throughput against gRPC C++", "GB/s", "gb_per_s", ratio_at_least(times_grpc), "grpc")

        count = 500 if bench.quick else 5000
        rounds = bench.interleaved(
            floor=lambda: bench.floor("socket-floor", "ping", 64, count, "apart"),
            together=lambda: bench.floor("socket-floor", "ping", 64, count, "together"),
            ours=lambda: bench.program("capture-bench", "ping", node.address, count),
            app=lambda: bench.program("capture-bench", "ping", node.address, count, "app"),
            grpc=lambda: bench.floor("grpc-peer", "ping", 64, count))
        bench.compare(rounds, "unary call of 64 bytes, median", "µs", "p50_us", ratio_at_most(1.0))
        bench.compare(rounds, "  against a floor with both ends on one processor", "µs", "p50_us", ratio_at_most(1.3), "together")
        bench.compare(rounds, "  against gRPC C++", "µs", "p50_us", ratio_at_most(1.0), "grpc")
        bench.compare(rounds, "  p99", "µs", "p99_us")
        bench.compare(rounds, "  by an app's task, off the loop, against gRPC C++", "µs", "p50_us", ratio_at_most(1.0), "grpc", of="app")

        changes = [bench.program("capture-bench", "settings", node.address, "0", count) for _ in range(bench.rounds)]
        bench.add(Row(
            "one setting changed, median; the floor is an empty call", "µs", median(changes, "set_p50_us"),
            floor=median(changes, "ping_p50_us"), ratio=median(changes, "ratio"), target=ratio_at_most(3)))

        rounds = bench.interleaved(
            ours=lambda: bench.program("capture-bench", "calls", node.address, node.pid, 64, bench.seconds),
            app=lambda: bench.program("capture-bench", "calls", node.address, node.pid, 64, bench.seconds, "app"),
            grpc=lambda: bench.floor("grpc-peer", "calls", 64, bench.seconds))
        bench.compare(rounds, "unary calls, 64 in flight", "1/s", "calls_per_s", against="grpc")
        bench.compare(rounds, "  against gRPC C++", "1/s", "calls_per_s", ratio_at_least(2), "grpc")
        bench.compare(rounds, "  by an app's tasks, off the loop, against gRPC C++", "1/s", "calls_per_s", against="grpc", of="app")
        bench.compare(rounds, "  CPU of both ends a call", "µs", "cpu_us_per_call", against="grpc")


def median(results, key):
    return statistics.median(result[key] for result in results)
