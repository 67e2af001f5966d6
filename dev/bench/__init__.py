"""What Holdfast costs, measured: `make bench`."""
