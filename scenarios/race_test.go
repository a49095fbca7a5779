//go:build race

package scenarios

// detector says that the race detector is in these tests, which makes them several times slower.
const detector = true
