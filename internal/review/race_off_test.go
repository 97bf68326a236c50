//go:build !race

package review

const usualSteps = 100_000
