"""What only developers run: benchmarks, torture, mutation, releases, real clients. Nothing here is installed."""
