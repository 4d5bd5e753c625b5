"""One page or panel per file; views draw values and decide nothing."""
