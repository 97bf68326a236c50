//go:build race

package review

// usualSteps are fewer than without the race detector, which makes them several times as slow
// and has nothing to find in a package without goroutines.
const usualSteps = 10_000
